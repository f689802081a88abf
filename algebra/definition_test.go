package algebra

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The definitions of the operations, by brute force over the domain. The operations' tests, the vectors and the fuzz
// tests judge results by them.

// offsetOf is the definition of a layout with plain strides: colexicographic digits times strides, the last unbounded.
func offsetOf(l Layout) func(position int) int {
	shapes, strides := l.Shape().Leaves(), l.Stride().Leaves()
	shape, stride := make([]int, len(shapes)), make([]int, len(shapes))
	for k := range shapes {
		shape[k], stride[k] = shapes[k].Value(), strides[k].Value()
	}
	return func(position int) int {
		sum := 0
		for k := range shape {
			digit := position
			if k < len(shape)-1 {
				digit, position = position%shape[k], position/shape[k]
			}
			sum += digit * stride[k]
		}
		return sum
	}
}

func offset(l Layout, position int) int { return offsetOf(l)(position) }

// offsets lists the layout's function.
func offsets(l Layout) []int {
	values, at := make([]int, l.Size()), offsetOf(l)
	for i := range values {
		values[i] = at(i)
	}
	return values
}

// composed lists a's values at b's.
func composed(a, b Layout) []int {
	values, at := offsets(b), offsetOf(a)
	for i, v := range values {
		values[i] = at(v)
	}
	return values
}

// requireComposition states the postcondition of Composition for plain strides.
func requireComposition(t require.TestingT, a, b, r Layout) {
	require.Equal(t, composed(a, b), offsets(r), "%v o %v = %v", a, b, r)
	require.True(t, Compatible(b.Shape(), r.Shape()), "%v o %v = %v does not refine the right side", a, b, r)
}

// refusalOf is the first position at which no layout that refines shape has the values, -1 if some layout has them all.
// It tries every factorization of every extent.
func refusalOf(shape Tuple, values []int) int {
	furthest := 0
	var extents []int
	var try func(leaves []Tuple)
	try = func(leaves []Tuple) {
		if len(leaves) > 0 {
			for _, factors := range factorizations(leaves[0].Value()) {
				before := len(extents)
				extents = append(extents, factors...)
				try(leaves[1:])
				extents = extents[:before]
			}
			return
		}
		furthest = max(furthest, agreement(extents, values))
	}
	try(shape.Leaves())
	if furthest == len(values) {
		return -1
	}
	return furthest
}

// agreement is how many of the values a layout of the flat extents can have at most: each stride is the value at its
// mode's first step.
func agreement(extents, values []int) int {
	for i := range values {
		sum, rest, unit := 0, i, 1
		for _, n := range extents {
			if digit := rest % n; digit > 0 {
				sum += digit * values[unit]
			}
			rest, unit = rest/n, unit*n
		}
		if sum != values[i] {
			return i
		}
	}
	return len(values)
}

// factorizations lists the ordered factorizations of n into factors above 1.
func factorizations(n int) [][]int {
	if n == 1 {
		return [][]int{{}}
	}
	var all [][]int
	for f := 2; f <= n; f++ {
		if n%f == 0 {
			for _, rest := range factorizations(n / f) {
				all = append(all, append([]int{f}, rest...))
			}
		}
	}
	return all
}

func TestFactorizations(t *testing.T) {
	require.Equal(t, [][]int{{2, 2, 3}, {2, 3, 2}, {2, 6}, {3, 2, 2}, {3, 4}, {4, 3}, {6, 2}, {12}}, factorizations(12))
}

// randomShape is a nested shape of at most the given depth.
func randomShape(r *rand.Rand, depth int) Tuple {
	extents := []int{1, 2, 2, 3, 4, 4, 5, 6, 8}
	if depth == 0 || r.IntN(3) == 0 {
		return Int(extents[r.IntN(len(extents))])
	}
	elems := make([]Tuple, 1+r.IntN(3))
	for i := range elems {
		elems[i] = randomShape(r, depth-1)
	}
	return MakeTuple(elems...)
}

// randomLayout has at most limit coordinates: compact in a random order, stretched here and there, or at random.
func randomLayout(r *rand.Rand, limit int) Layout {
	for {
		shape := randomShape(r, 2)
		n, err := Product(shape)
		if err != nil || n > limit {
			continue
		}
		leaves := shape.Leaves()
		strides := make([]Tuple, len(leaves))
		wild := r.IntN(4) == 0
		stride := 1
		for _, i := range r.Perm(len(leaves)) {
			strides[i] = Int(stride)
			stride *= leaves[i].Value()
			switch r.IntN(12) {
			case 0:
				stride *= 2
			case 1:
				stride += 1 + r.IntN(3)
			case 2:
				strides[i] = Int(0)
			}
			if wild {
				strides[i] = Int(r.IntN(9))
			}
		}
		l, err := MakeLayout(shape, unflatten(strides, shape))
		if err == nil {
			return l
		}
	}
}

// distinct tells whether no value comes twice.
func distinct(values []int) bool {
	sorted := slices.Sorted(slices.Values(values))
	return len(slices.Compact(sorted)) == len(values)
}

func tuple(t *testing.T, text string) Tuple {
	t.Helper()
	u, err := ParseTuple(text)
	require.NoError(t, err)
	return u
}

func layout(t *testing.T, text string) Layout {
	t.Helper()
	l, err := ParseLayout(text)
	require.NoError(t, err)
	return l
}

func tiler(t *testing.T, text string) Tiler {
	t.Helper()
	u, err := ParseTiler(text)
	require.NoError(t, err)
	return u
}
