// Package catalogue turns spec files and kernel names into kernels.
//
// A spec file is YAML: a list of kernels, each a mapping of scalars. The field family says which package reads the others
// (kernels/transpose, kernels/sgemm); name, which begins with the family's, overrides the name that spells the configuration;
// experimental: true marks a kernel that need
// not have a recorded verification.
//
//   - family: transpose
//     tile: (64,64)
//     tS: (16,16):(16,1)
//     vS: 4
//     tD: (8,32):(1,8)
//     vD: 4
//     sT: Sw<3,2,6> o 0 o (64,64):(64,1)
//     minBlocks: 4
package catalogue

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cutegen/access"
	"cutegen/emit/bind"
	"cutegen/kernels"
	"cutegen/kernels/sgemm"
	"cutegen/kernels/transpose"
)

//go:embed default.yaml
var defaultFile []byte

// Entry is one kernel to generate.
type Entry struct {
	Name         string
	Family       string
	Experimental bool
	// Pos is where a spec file states it, "file:line:column", or "".
	Pos string

	transpose transpose.Spec
	sgemm     sgemm.Spec
	at, keys  map[string]string // the position of each field's value, and of its name
	auto      []string          // the fields that were chosen
}

// Generate runs the flow from spec to source, and stamps the source. An error names the spec's position where there is one.
func (e Entry) Generate() (*kernels.Kernel, error) {
	k, err := e.generate()
	if err != nil {
		return nil, e.positioned(err)
	}
	k.Source = kernels.Stamp(k.Source, k.Manifest.Name)
	return k, nil
}

func (e Entry) generate() (*kernels.Kernel, error) {
	if e.Family == familySgemm {
		return sgemm.Generate(e.sgemm)
	}
	return transpose.Generate(e.transpose)
}

// Notes are what is not wrong with the kernel, but may not be meant: layouts that auto chose, accesses that are narrower than their
// vectors, and bank conflicts. They have positions as errors have.
func (e Entry) Notes() ([]error, error) {
	accesses, narrow, err := e.plan()
	if err != nil {
		return nil, err
	}
	var notes []error
	for _, field := range e.auto {
		notes = append(notes, &kernels.FieldError{Field: field, Err: fmt.Errorf("auto is %s", e.specFields()[field])})
	}
	notes = append(notes, narrow...)
	for _, a := range accesses {
		// A tensor of shared memory has the name of the field that lays it out.
		if c := a.Count(); a.Tensor.Space == access.Shared && c.Value > c.Ideal {
			notes = append(notes, &kernels.FieldError{Field: a.Tensor.Name,
				Err: fmt.Errorf("access %s has bank conflicts: an instruction of a warp takes %.3g wavefronts, where %.3g would do", a.Name, c.Value, c.Ideal)})
		}
	}
	for i, n := range notes {
		notes[i] = e.positioned(n)
	}
	return notes, nil
}

// specFields are the spec's, with what auto chose.
func (e Entry) specFields() kernels.Fields {
	if e.Family == familySgemm {
		return e.sgemm.Fields()
	}
	return e.transpose.Fields()
}

// Accesses are the kernel's accesses to memory.
func (e Entry) Accesses() ([]*access.Access, error) {
	accesses, _, err := e.plan()
	return accesses, err
}

func (e Entry) plan() (accesses []*access.Access, narrow []error, err error) {
	if e.Family == familySgemm {
		p, err := sgemm.NewPlan(e.sgemm)
		if err != nil {
			return nil, nil, e.positioned(err)
		}
		return p.Accesses(), p.Narrow, nil
	}
	p, err := transpose.NewPlan(e.transpose)
	if err != nil {
		return nil, nil, e.positioned(err)
	}
	return p.Accesses(), p.Narrow, nil
}

// positioned says where the field stands that an error is of, or else the entry: in a file, or by its name.
func (e Entry) positioned(err error) error {
	pos := cmp.Or(e.Pos, e.Name)
	var field *kernels.FieldError
	if errors.As(err, &field) {
		err = field
		at := e.at
		if field.Unknown {
			at = e.keys
		}
		pos = cmp.Or(at[field.Field], pos)
	}
	return fmt.Errorf("%s: %w", pos, err)
}

const (
	familyTranspose = "transpose"
	familySgemm     = "sgemm"
)

// Families are the values of the field family.
func Families() []string { return []string{familyTranspose, familySgemm} }

// FieldDocs are the fields of a family's spec, the common ones first.
func FieldDocs(family string) []kernels.FieldDoc {
	docs := kernels.CommonFields()
	switch family {
	case familyTranspose:
		return append(docs, transpose.FieldDocs()...)
	case familySgemm:
		return append(docs, sgemm.FieldDocs()...)
	}
	return docs
}

// Default is the embedded catalogue.
func Default() ([]Entry, error) { return parse("default.yaml", defaultFile) }

// Load reads a spec file.
func Load(path string) ([]Entry, error) {
	const most = 1 << 20
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1)) // not by its size: /dev/stdin has none
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s: more than the %d bytes of a spec file", path, most)
	}
	return parse(path, text)
}

// ParseName makes the entry whose configuration a name spells. A name that only reads so, as one with leading zeros, is a
// *kernels.SpellingError.
func ParseName(name string) (Entry, error) {
	plain := leadingZeros.ReplaceAllString(name, "$1$2")
	e, err := parseName(plain)
	switch {
	case err == nil && plain != name:
		err = &kernels.SpellingError{Got: name, Want: plain}
	case err != nil && !strings.HasPrefix(err.Error(), strconv.QuoteToASCII(name)):
		err = fmt.Errorf("%+q: %w", name, err)
	}
	return e, err
}

var leadingZeros = regexp.MustCompile(`(\D)0+(\d)`)

func parseName(name string) (Entry, error) {
	e := Entry{Name: name}
	var err error
	switch {
	case strings.HasPrefix(name, "transpose_"):
		e.Family = familyTranspose
		e.transpose, err = transpose.ParseName(name)
	case strings.HasPrefix(name, "sgemm_"):
		e.Family = familySgemm
		e.sgemm, err = sgemm.ParseName(name)
	default:
		err = fmt.Errorf("%+q spells no kernel: a name begins with transpose_ or sgemm_", name)
	}
	return e, err
}

// fields makes an entry of a spec's fields.
func (e *Entry) fields(fields kernels.Fields) error {
	name, own := fields["name"]
	switch v, ok := fields["experimental"]; {
	case v == "true":
		e.Experimental = true
	case ok && v != "false":
		return &kernels.FieldError{Field: "experimental", Err: fmt.Errorf("got %+q, want true or false", v)}
	}
	for field, value := range fields {
		if value == kernels.Auto && field != "name" {
			e.auto = append(e.auto, field)
		}
	}
	slices.Sort(e.auto)
	e.Family = fields["family"]
	var err error
	switch e.Family {
	case familyTranspose:
		e.transpose, err = transpose.Parse(fields)
	case familySgemm:
		e.sgemm, err = sgemm.Parse(fields)
	case "":
		err = &kernels.FieldError{Field: "family", Err: errors.New("is missing: want transpose or sgemm")}
	default:
		err = &kernels.FieldError{Field: "family", Err: fmt.Errorf("got %+q, want transpose or sgemm", e.Family)}
	}
	if err != nil {
		return err
	}
	if own {
		e.setName(name)
		return e.checkName()
	}
	if e.Name, err = e.spelledName(); err != nil {
		// A name is asked for last: what is wrong with the layouts is said before.
		e.setName(e.Family + "_unnamed")
		if _, wrong := e.generate(); wrong != nil {
			return wrong
		}
	}
	return err
}

func (e *Entry) setName(name string) {
	e.Name, e.transpose.Name, e.sgemm.Name = name, name, name
}

func (e *Entry) spelledName() (string, error) {
	if e.Family == familySgemm {
		return e.sgemm.SpelledName()
	}
	return e.transpose.SpelledName()
}

// checkName checks a name that the spec states. The family before it keeps it from being a word of C or Go, a macro, or a name of CUDA's.
func (e *Entry) checkName() error {
	var err error
	switch rest, ok := strings.CutPrefix(e.Name, e.Family+"_"); {
	case !ok || rest == "" || !identifier.MatchString(e.Name):
		err = fmt.Errorf("got %+q, want %s_ and then letters, digits and underscores, at most 128 in all", e.Name, e.Family)
	case strings.HasSuffix(e.Name, "_kernel"):
		err = fmt.Errorf("got %q, which is what kernel %s is called on the device", e.Name, strings.TrimSuffix(e.Name, "_kernel"))
	case strings.HasSuffix(e.Name, "_source"):
		err = fmt.Errorf("got %q, by which the library of kernel %s tells its source", e.Name, strings.TrimSuffix(e.Name, "_source"))
	default:
		if err = bind.CheckName(e.Name); err == nil {
			err = e.checkOwn()
		}
	}
	if err != nil {
		return &kernels.FieldError{Field: "name", Err: err}
	}
	return nil
}

// checkOwn refuses a name that reads as a configuration, unless it is the one that spells this.
func (e *Entry) checkOwn() error {
	_, err := ParseName(e.Name)
	if errors.As(err, new(*kernels.SpellingError)) {
		return err
	}
	if spelled, spellErr := e.spelledName(); err != nil || spellErr == nil && spelled == e.Name {
		return nil
	}
	return fmt.Errorf("got %q, which spells another configuration: take another name, or leave the field out", e.Name)
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,127}$`)
