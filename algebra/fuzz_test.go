package algebra

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallLayout reads a layout with plain strides that brute force can handle; ok is false for others.
func smallLayout(text string, limit int) (l Layout, ok bool) {
	l, err := ParseLayout(text)
	if err != nil || l.HasBasis() || l.Size() > limit || l.n > 6 {
		return Layout{}, false
	}
	for _, m := range l.leaves() {
		if m.stride > 1<<30 || m.stride < -1<<30 {
			return Layout{}, false
		}
	}
	return l, true
}

// FuzzComposition compares acceptance, values and the refused coordinate with the search through all refinements.
func FuzzComposition(f *testing.F) {
	for _, seed := range [][2]string{
		{"(6,2):(8,2)", "(4,3):(3,1)"},
		{"(4,2,8):(3,12,97)", "4:3"},
		{"(2,4,2):(2,4,1)", "((4,2),2):((4,1),4)"},
		{"(4,4):(1,5)", "3:5"},
		{"(3,1):(16,33)", "(2,1):(3,7)"},
		{"(4,4):(-1,1)", "(2,4,2):(1,-2,8)"},
		{"():()", "8:1"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, left, right string) {
		a, ok := smallLayout(left, 1<<40)
		if !ok {
			return
		}
		b, ok := smallLayout(right, 64)
		if !ok {
			return
		}
		got, err := Composition(a, b)
		first := refusalOf(b.Shape(), composed(a, b))
		if first < 0 {
			require.NoError(t, err)
			requireComposition(t, a, b, got)
			return
		}
		require.ErrorContains(t, err, fmt.Sprintf("at coordinate %v of %v ", b.Coord(first), b.Shape()))
	})
}

// FuzzComplement checks the postconditions, or that two coordinates meet or modes interleave.
func FuzzComplement(f *testing.F) {
	f.Add("(2,4):(1,6)", 24)
	f.Add("(2,2):(1,5)", 10)
	f.Add("(2,2):(1,1)", 8)
	f.Add("(2,2,2):(1,4,5)", 24)
	f.Add("(2,2):(2,3)", 7)
	f.Fuzz(func(t *testing.T, text string, cotarget int) {
		l, ok := smallLayout(text, 256)
		if !ok || cotarget > 4096 {
			return
		}
		for _, m := range l.leaves() {
			if m.stride > 4096 {
				return // too many shifts to list
			}
		}
		c, err := Complement(l, cotarget)
		switch {
		case cotarget < 1:
			require.ErrorContains(t, err, "allowed are cotargets of at least 1")
		case err == nil:
			requireComplement(t, l, cotarget, c)
		default:
			moving := Filter(l)
			for _, m := range moving.leaves() {
				if m.stride < 0 {
					return
				}
			}
			requireNoComplement(t, l, err)
		}
	})
}

// FuzzBinary gives two layouts to every operation on two. A divide begins with the tile and loses no offset, a product
// begins with the block and has as many copies as the tiler has coordinates.
func FuzzBinary(f *testing.F) {
	f.Add("16:3", "4:1")
	f.Add("(8,6):(1,8)", "(4,3):(1,8)")
	f.Add("(2,2):(1,5)", "(3,2):(2,1)")
	f.Add("10:1", "4:1")
	f.Add("(4,2,8):(3,12,97)", "(2,2):(0,4)")
	f.Fuzz(func(t *testing.T, left, right string) {
		a, ok := smallLayout(left, 256)
		if !ok {
			return
		}
		b, ok := smallLayout(right, 64)
		if !ok {
			return
		}
		if r, err := LogicalDivide(a, b); err == nil {
			require.Equal(t, composed(a, b), offsets(r.Mode(0)), "%v by %v = %v", a, b, r)
			if r.Size() <= 1<<16 {
				require.Subset(t, offsets(r), offsets(a), "%v by %v = %v", a, b, r)
			}
		}
		if r, err := LogicalProduct(a, b); err == nil {
			require.Equal(t, offsets(a), offsets(r.Mode(0)), "%v times %v = %v", a, b, r)
			require.Equal(t, b.Size(), r.Mode(1).Size(), "%v times %v = %v", a, b, r)
		}
		for _, op := range []func(a, b Layout) (Layout, error){
			BlockedProduct, RakedProduct, LocalPartition, MaxCommonLayout,
			func(a, b Layout) (Layout, error) { return ZippedDivide(a, b) },
			func(a, b Layout) (Layout, error) { return TiledDivide(a, b) },
			func(a, b Layout) (Layout, error) { return FlatDivide(a, b) },
			func(a, b Layout) (Layout, error) { return ZippedProduct(a, b) },
			func(a, b Layout) (Layout, error) { return TiledProduct(a, b) },
			func(a, b Layout) (Layout, error) { return FlatProduct(a, b) },
		} {
			if r, err := op(a, b); err == nil {
				again, err := ParseLayout(r.String())
				require.NoError(t, err)
				require.True(t, again.Equal(r), "%v and %v: %v", a, b, r)
			}
		}
	})
}
