package algebra

import "strings"

// profile is the nesting of a layout's shape without the integers: a point for a leaf, parentheses around a list. It is
// what the shape and the stride share, so a layout has it once, and parts of it are parts of the text.
//
//	((4,2),3)   ((..).)
//
// () is "", the zero value.
type profile string

const leafProfile profile = "."

// flatProfiles are those of the lists of leaves that most layouts are.
var flatProfiles = [...]profile{"", "(.)", "(..)", "(...)", "(....)", "(.....)", "(......)", "(.......)", "(........)"}

// flatProfile is a list of n leaves.
func flatProfile(n int) profile {
	if n < len(flatProfiles) {
		return flatProfiles[n]
	}
	return profile("(" + strings.Repeat(".", n) + ")")
}

// made is a profile that was put together; those of most results need no heap.
func made(list []byte) profile {
	switch string(list) {
	case "(..)":
		return "(..)"
	case "((..).)":
		return "((..).)"
	case "(.(..))":
		return "(.(..))"
	case "((...).)":
		return "((...).)"
	case "((..)(..))":
		return "((..)(..))"
	case "((...)(..))":
		return "((...)(..))"
	case "((..)(...))":
		return "((..)(...))"
	case "((..)(..).)":
		return "((..)(..).)"
	case "((..)(.(..)))":
		return "((..)(.(..)))"
	case "(((..)(..))(..))":
		return "(((..)(..))(..))"
	}
	return profile(list).normal()
}

func profileOf(t Tuple) profile {
	if t.IsLeaf() {
		return leafProfile
	}
	if t.Depth() == 1 {
		return flatProfile(len(t.elems))
	}
	var space [64]byte
	return made(appendProfile(space[:0], t))
}

func appendProfile(p []byte, t Tuple) []byte {
	if t.IsLeaf() {
		return append(p, '.')
	}
	p = append(p, '(')
	for _, e := range t.elems {
		p = appendProfile(p, e)
	}
	return append(p, ')')
}

func (p profile) normal() profile {
	if p == "()" {
		return ""
	}
	return p
}

// within appends p as an element of a list.
func (p profile) within(list []byte) []byte {
	if p == "" {
		return append(list, "()"...)
	}
	return append(list, p...)
}

func (p profile) isLeaf() bool { return p == leafProfile }

// leaves counts the leaves.
func (p profile) leaves() int {
	n := 0
	for i := range len(p) {
		if p[i] == '.' {
			n++
		}
	}
	return n
}

func (p profile) rank() int {
	if p == "" || p.isLeaf() {
		return len(p)
	}
	n := 0
	for at := 1; at < len(p)-1; at = p.end(at) {
		n++
	}
	return n
}

func (p profile) depth() int {
	depth, deepest := 0, 0
	for i := range len(p) {
		switch p[i] {
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			depth--
		}
	}
	if p == "" {
		return 1
	}
	return deepest
}

// end is the place behind the element that begins at a place.
func (p profile) end(at int) int {
	for depth := 0; ; {
		switch p[at] {
		case '(':
			depth++
		case ')':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

// element is element i of a list, and how many leaves are before it. It panics when i is out of range.
func (p profile) element(i int) (e profile, before int) {
	at := 1
	for ; i > 0; i-- {
		end := p.end(at)
		before += p[at:end].leaves()
		at = end
	}
	return p[at:p.end(at)].normal(), before
}

// tuple is the tuple of this profile with the given leaves, which it keeps.
func (p profile) tuple(leaves []Tuple) Tuple {
	switch {
	case p.isLeaf():
		return leaves[0]
	case p == "" || len(leaves) == len(p)-2:
		return Tuple{elems: leaves}
	}
	elems := make([]Tuple, p.rank())
	at := 1
	for i := range elems {
		end := p.end(at)
		e := p[at:end].normal()
		n := e.leaves()
		elems[i] = e.tuple(leaves[:n:n])
		at, leaves = end, leaves[n:]
	}
	return Tuple{elems: elems}
}

// refined is the profile with leaf k replaced by a list of the leaves from ends[k-1] to ends[k], or left a leaf where that
// is one.
func (p profile) refined(ends []int) profile {
	if len(ends) == 0 || ends[len(ends)-1] == len(ends) {
		return p
	}
	var space [64]byte
	return made(refineIn(space[:0], p, ends))
}

// refineIn appends a profile whose leaves are refined.
func refineIn[P profile | []byte](list []byte, p P, ends []int) []byte {
	k, begin := 0, 0
	for i := range len(p) {
		if p[i] != '.' {
			list = append(list, p[i])
			continue
		}
		list = flatIn(list, ends[k]-begin)
		k, begin = k+1, ends[k]
	}
	return list
}

// flatIn appends n leaves as one element: a leaf if it is one, or else a list.
func flatIn(list []byte, n int) []byte {
	if n == 1 {
		return append(list, '.')
	}
	list = append(list, '(')
	for range n {
		list = append(list, '.')
	}
	return append(list, ')')
}
