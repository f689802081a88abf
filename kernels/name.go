package kernels

import (
	"fmt"
	"regexp"
	"strconv"

	"cutegen/algebra"
)

// A kernel's name spells its configuration in tokens joined by "_". These are the tokens that the families share.
//
//	tA128x2k4   copy partition tA: threads (128,2), mode k fastest, vectors of 4
//	sAp4        layout sA: compact but for 4 elements of padding after each row (p0: none)
//	sTsw3x2x6   layout sT: compact under Swizzle<3,2,6>

// A SpellingError is a name that reads as a configuration, but is not the name that spells it: 064x64 for 64x64.
type SpellingError struct{ Got, Want string }

func (e *SpellingError) Error() string {
	return fmt.Sprintf("%q is not how a name spells its configuration: want %s", e.Got, e.Want)
}

// CheckSpelling refuses a name that was read as a configuration whose name is another: one kernel has one name.
func CheckSpelling(name string, spelled func() (string, error)) error {
	want, err := spelled()
	if err == nil && want != name {
		err = &SpellingError{name, want}
	}
	return err
}

// Token spells a copy partition over modes named by modes[0] and modes[1]. Only compact threads have a token; others need a name of
// their own in the spec.
func (c Copy) Token(name, modes string) (string, error) {
	n := [2]int{}
	if c.Threads.Rank() == 2 {
		n = [2]int{c.Threads.Mode(0).Size(), c.Threads.Mode(1).Size()}
	}
	for fast := range 2 {
		if l, err := compact(n, fast); err == nil && l.Equal(c.Threads) {
			return fmt.Sprintf("%s%dx%d%c%d", name, n[0], n[1], modes[fast], c.Vector), nil
		}
	}
	return "", fmt.Errorf("layout %s has no token in the name grammar, which spells (a,b):(1,a) and (a,b):(b,1): add name: to the spec", c.Threads)
}

var copyToken = regexp.MustCompile(`^(t[A-Z])(\d+)x(\d+)([a-z])(\d+)$`)

// ParseCopy is the inverse of Token.
func ParseCopy(token, name, modes string) (Copy, error) {
	m := copyToken.FindStringSubmatch(token)
	if m == nil || m[1] != name || m[4] != modes[:1] && m[4] != modes[1:] {
		return Copy{}, fmt.Errorf("%q is not a partition %s: want %sAxB%cV or %sAxB%cV, as %s16x16%c4",
			token, name, name, modes[0], name, modes[1], name, modes[1])
	}
	a, b, v, err := atoi3(m[2], m[3], m[5])
	if err != nil {
		return Copy{}, fmt.Errorf("%q: %w", token, err)
	}
	fast := 0
	if m[4] == modes[1:] {
		fast = 1
	}
	l, err := compact([2]int{a, b}, fast)
	return Copy{Threads: l, Vector: v}, err
}

// compact is (a,b):(1,a), or (a,b):(b,1) if mode 1 is fastest.
func compact(n [2]int, fast int) (algebra.Layout, error) {
	if fast == 0 {
		return algebra.ColMajor(algebra.Ints(n[0], n[1]))
	}
	return algebra.RowMajor(algebra.Ints(n[0], n[1]))
}

func atoi3(a, b, c string) (x, y, z int, err error) {
	for _, p := range []struct {
		s string
		n *int
	}{{a, &x}, {b, &y}, {c, &z}} {
		if *p.n, err = strconv.Atoi(p.s); err != nil {
			return 0, 0, 0, fmt.Errorf("%s is too large", p.s)
		}
	}
	return x, y, z, nil
}

// mostPad is the most padding that has a token, in elements.
const mostPad = 63

// SharedToken spells a layout of shared memory. plain makes the layout with a given number of elements of padding.
func SharedToken(name string, l algebra.Composed, plain func(pad int) (algebra.Layout, error)) (string, error) {
	if l.Offset == 0 && l.Swizzle.Bits == 0 {
		for pad := range mostPad + 1 {
			if p, err := plain(pad); err == nil && p.Equal(l.Layout) {
				return fmt.Sprintf("%sp%d", name, pad), nil
			}
		}
	} else if p, err := plain(0); err == nil && l.Offset == 0 && p.Equal(l.Layout) && l.Swizzle.Shift >= 0 {
		return fmt.Sprintf("%ssw%dx%dx%d", name, l.Swizzle.Bits, l.Swizzle.Base, l.Swizzle.Shift), nil
	}
	return "", fmt.Errorf("layout %s has no token in the name grammar, which spells a compact layout, padded or swizzled: add name: to the spec", l)
}

var sharedToken = regexp.MustCompile(`^(s[A-Z])(?:p(\d+)|sw(\d+)x(\d+)x(\d+))$`)

// ParseShared is the inverse of SharedToken.
func ParseShared(token, name string, plain func(pad int) (algebra.Layout, error)) (algebra.Composed, error) {
	m := sharedToken.FindStringSubmatch(token)
	if m == nil || m[1] != name {
		return algebra.Composed{}, fmt.Errorf("%q is not a layout %s: want %sp4 (padding) or %ssw3x2x6 (swizzle)", token, name, name, name)
	}
	if m[2] != "" {
		pad, err := strconv.Atoi(m[2])
		if err != nil || pad > mostPad {
			return algebra.Composed{}, fmt.Errorf("%q: a padding of %s elements is more than the %d that a name spells", token, m[2], mostPad)
		}
		l, err := plain(pad)
		return algebra.Composed{Layout: l}, err
	}
	b, base, s, err := atoi3(m[3], m[4], m[5])
	if err != nil {
		return algebra.Composed{}, fmt.Errorf("%q: %w", token, err)
	}
	swizzle := algebra.Swizzle{Bits: b, Base: base, Shift: s}
	if err := swizzle.Validate(); err != nil {
		return algebra.Composed{}, fmt.Errorf("%q: %w", token, err)
	}
	l, err := plain(0)
	return algebra.Composed{Swizzle: swizzle, Layout: l}, err
}
