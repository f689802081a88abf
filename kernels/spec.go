package kernels

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"cutegen/algebra"
)

// Fields are the fields of a spec as texts, as a spec file or a manifest states them: {"tile": "(64,64)", "vS": "4", ...}.
type Fields map[string]string

// FieldError is what is wrong with one field of a spec, so that a reader of a file can say where it stands.
type FieldError struct {
	Field string
	Err   error
	// Unknown: the field's name is at fault, not its value.
	Unknown bool
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

// A FieldDoc is what a field of a spec means.
type FieldDoc struct{ Name, Meaning, Example string }

// CommonFields are the fields of every family's spec that say what to do with it.
func CommonFields() []FieldDoc {
	return []FieldDoc{
		{"family", "transpose or sgemm", "transpose"},
		{"name", "optional: the kernel's name, instead of the one that spells its configuration", "transpose_mine"},
		{"experimental", "optional: true for a kernel that need not have a recorded verification", "true"},
	}
}

// MinBlocksDoc is the field that every family has.
func MinBlocksDoc(example string) FieldDoc {
	return FieldDoc{"minBlocks", "1 to 32 blocks that must fit on a multiprocessor at once, which bounds a thread's registers", example}
}

// FieldReader takes fields one by one and keeps the first error.
type FieldReader struct {
	fields Fields
	known  []string
	Err    error
}

// Read starts reading fields. The common ones are not its business.
func Read(fields Fields) *FieldReader {
	r := &FieldReader{fields: fields}
	for _, f := range CommonFields() {
		r.known = append(r.known, f.Name)
	}
	return r
}

func (r *FieldReader) text(name string) (string, bool) {
	r.known = append(r.known, name)
	s, ok := r.fields[name]
	if !ok {
		r.fail(name, fmt.Errorf("is missing"))
	}
	return s, ok
}

func (r *FieldReader) fail(name string, err error) {
	if r.Err == nil && errors.As(err, new(*FieldError)) {
		r.Err = err
	}
	if r.Err == nil {
		r.Err = &FieldError{Field: name, Err: err}
	}
}

// Text is the field name, which must be one of allowed.
func (r *FieldReader) Text(name string, allowed ...string) string {
	s, ok := r.text(name)
	if ok && !slices.Contains(allowed, s) {
		r.fail(name, fmt.Errorf("got %+q, want one of %s", s, strings.Join(allowed, ", ")))
	}
	return s
}

// Int is the field name, an integer in [lo, hi].
func (r *FieldReader) Int(name string, lo, hi int) int {
	s, ok := r.text(name)
	if !ok {
		return lo
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < lo || n > hi {
		r.fail(name, fmt.Errorf("got %+q, want an integer from %d to %d", s, lo, hi))
	}
	return n
}

// Vector is the field name, the number of elements of one instruction.
func (r *FieldReader) Vector(name string) int {
	s := r.Text(name, "1", "4")
	n, _ := strconv.Atoi(s)
	return max(n, 1)
}

// Tile is the field name, a shape of rank positive integers.
func (r *FieldReader) Tile(name string, rank int) algebra.Tuple {
	const most = 1024
	s, ok := r.text(name)
	if !ok {
		return algebra.Tuple{}
	}
	t, err := algebra.ParseTuple(s)
	if err != nil {
		r.fail(name, err)
		return t
	}
	bad := t.IsLeaf() || t.Rank() != rank
	for i := 0; !bad && i < rank; i++ {
		m := t.Mode(i)
		bad = !m.IsLeaf() || len(m.BasisPath()) > 0 || m.IsUnderscore() || m.Value() < 1 || m.Value() > most
	}
	if bad {
		r.fail(name, fmt.Errorf("got %s, want a shape of %d integers from 1 to %d", s, rank, most))
	}
	return t
}

// Layout is the field name, a layout with integer strides >= 0.
func (r *FieldReader) Layout(name string) algebra.Layout {
	s, ok := r.text(name)
	if !ok {
		return algebra.Layout{}
	}
	l, err := algebra.ParseLayout(s)
	if err != nil {
		r.fail(name, err)
	} else if err := plain(l); err != nil {
		r.fail(name, err)
	}
	return l
}

// Auto is the text of a layout of shared memory that is to be chosen.
const Auto = "auto"

// Shared is the field name, a layout of shared memory that may stand under a swizzle; choose makes it where the field is "auto", from
// the fields that were read before.
func (r *FieldReader) Shared(name string, choose func() (algebra.Composed, error)) algebra.Composed {
	s, ok := r.text(name)
	if !ok {
		return algebra.Composed{}
	}
	if s == Auto {
		if r.Err != nil {
			return algebra.Composed{}
		}
		c, err := choose()
		if err != nil {
			r.fail(name, err)
		}
		return c
	}
	c, err := algebra.ParseComposed(s)
	if err != nil {
		r.fail(name, err)
	} else if err := plain(c.Layout); err != nil {
		r.fail(name, err)
	} else if c.Offset < 0 {
		r.fail(name, fmt.Errorf("layout %s starts below its allocation, at %d", c, c.Offset))
	}
	return c
}

func plain(l algebra.Layout) error {
	if l.HasBasis() {
		return fmt.Errorf("layout %s has basis strides, want offsets", l)
	}
	for _, leaf := range l.Stride().Leaves() {
		if leaf.Value() < 0 {
			return fmt.Errorf("layout %s has the negative stride %d", l, leaf.Value())
		}
	}
	return nil
}

// Done returns the first error. A field that nothing asked for is the first of all: it may be another's name misspelled.
func (r *FieldReader) Done() error {
	var unknown []string
	for name := range r.fields {
		if !slices.Contains(r.known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		sort.Strings(unknown)
		return &FieldError{Field: unknown[0], Err: fmt.Errorf("is no field of this family, whose fields are %s", strings.Join(r.known, ", ")), Unknown: true}
	}
	return r.Err
}
