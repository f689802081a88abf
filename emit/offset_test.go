package emit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

func composed(t *testing.T, swizzle algebra.Swizzle, layout string) algebra.Composed {
	t.Helper()
	l, err := algebra.ParseLayout(layout)
	require.NoError(t, err)
	return algebra.Composed{Swizzle: swizzle, Layout: l}
}

func TestOffset(t *testing.T) {
	tid := Var("t", 0, 255)
	for _, c := range []struct {
		layout  string
		swizzle algebra.Swizzle
		coord   []Expr
		want    string
	}{
		{"(256,4):(1,256)", algebra.Swizzle{}, []Expr{tid, Const(3)}, "t + 768"},
		{"((2,128),4):((4,132),1)", algebra.Swizzle{}, []Expr{tid, Const(3)}, "(t & 1) * 4 + (t >> 1) * 132 + 3"},
		{"((16,16),4):((1,16),0)", algebra.Swizzle{}, []Expr{tid, Const(3)}, "t"},
		{"((16,16),4):((16,1),0)", algebra.Swizzle{}, []Expr{tid, Const(0)}, "(t & 15) * 16 + (t >> 4)"},
		{"((2,(4,32)),1):((1,(2,8)),0)", algebra.Swizzle{}, []Expr{tid, Const(0)}, "t"},
		{"((6,43),1):((1,8),0)", algebra.Swizzle{}, []Expr{tid, Const(0)}, "t % 6 + t / 6 * 8"},
		{"((64,4),1):((1,64),0)", algebra.Swizzle{Bits: 2, Base: 0, Shift: 3}, []Expr{tid, Const(0)}, "((t >> 3) & 3) ^ t"},
		{"((64,4),1):((8,1),0)", algebra.Swizzle{Bits: 3, Base: 0, Shift: 3}, []Expr{tid, Const(0)}, "((t & 7) ^ (t >> 6)) + (t & 63) * 8"},
	} {
		t.Run(c.layout, func(t *testing.T) {
			l := composed(t, c.swizzle, c.layout)
			e, err := Offset(l, c.coord...)
			require.NoError(t, err)
			assert.Equal(t, c.want, e.String())
			n, err := Prove(e, l, c.coord...)
			require.NoError(t, err)
			assert.Equal(t, 256, n)
		})
	}
}

func TestOffsetRefusesACoordinateOutsideItsMode(t *testing.T) {
	l := composed(t, algebra.Swizzle{}, "(255,4):(1,256)")
	_, err := Offset(l, Var("t", 0, 255), Const(0))
	assert.EqualError(t, err, "layout (255,4):(1,256): coordinate t in [0,255] leaves mode 0, which is 255 with 255 elements")
	_, err = Offset(l, Var("t", 0, 254), Const(4))
	assert.ErrorContains(t, err, "coordinate 4 in [4,4] leaves mode 1")
	_, err = Offset(l, Var("t", 0, 254), Const(3))
	assert.NoError(t, err)
	_, err = Offset(l, Const(0))
	assert.ErrorContains(t, err, "has 2 modes and got 1 coordinates")
}

// An expression whose layout is changed behind its back is refused with the layout and the coordinate.
func TestProveRefusesAnotherLayout(t *testing.T) {
	tid := Var("t", 0, 255)
	e, err := Offset(composed(t, algebra.Swizzle{}, "((2,128),4):((4,132),1)"), tid, Const(3))
	require.NoError(t, err)
	changed := composed(t, algebra.Swizzle{}, "((2,128),4):((4,128),1)")
	_, err = Prove(e, changed, tid, Const(3))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "((2,128),4):((4,128),1) at coordinate [2 3] is 131, but the expression (t & 1) * 4 + (t >> 1) * 132 + 3 gives 135")
}

func TestProveRefusesADomainThatIsTooLarge(t *testing.T) {
	l := composed(t, algebra.Swizzle{}, "(1073741824,1):(1,0)")
	x := Var("x", 0, 1<<30-1)
	e, err := Offset(l, x, Const(0))
	require.NoError(t, err)
	_, err = Prove(e, l, x, Const(0))
	assert.ErrorContains(t, err, "1073741824 points are more than the 16777216 that a proof visits: fix a coordinate")
}

// A linear layout has one base whatever the values are; an XOR needs one for each pattern that no constant joins.
func TestHoist(t *testing.T) {
	tid := Var("t", 0, 255)
	h, err := Hoist(tid, composed(t, algebra.Swizzle{}, "((16,16),(4,4)):((4,64),(1,1024))"))
	require.NoError(t, err)
	require.Len(t, h.Base, 1)
	assert.Equal(t, "t * 4", h.Base[0][0].String())
	assert.Equal(t, []int{1027}, h.Delta[7])
	assert.Equal(t, 256+256*16, h.Points)

	// The column reads of a 64x64 tile under Sw<3,2,6>: the thread owns the bits that are flipped, so the values stay constants.
	h, err = Hoist(tid, composed(t, algebra.Swizzle{Bits: 3, Base: 2, Shift: 6}, "((8,32),(4,4)):((256,1),(64,2048))"))
	require.NoError(t, err)
	assert.Len(t, h.Base, 1)

	// The value flips bits that the thread fills: every other value needs its own base.
	h, err = Hoist(tid, composed(t, algebra.Swizzle{Bits: 1, Base: 4, Shift: 5}, "(32,(4,8)):(4,(1,128))"))
	require.ErrorContains(t, err, "leaves mode 0", "the thread's range is the layout's")
	h, err = Hoist(Var("t", 0, 31), composed(t, algebra.Swizzle{Bits: 1, Base: 4, Shift: 5}, "(32,(4,8)):(4,(1,128))"))
	require.NoError(t, err)
	assert.Len(t, h.Base, 2)
	assert.Equal(t, []string{"t * 4", "(t * 4) ^ 16"}, []string{h.Base[0][0].String(), Add(h.Base[1][0], Const(-512)).String()})
}

// The definition: base plus delta is the layout's value for every thread and value, over random layouts with swizzles.
func TestHoistIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		shape := []int{1 + r.IntN(5), 1 + r.IntN(6), 1 + r.IntN(4), 1 + r.IntN(3)}
		text := fmt.Sprintf("((%d,%d),(%d,%d)):((%d,%d),(%d,%d))", shape[0], shape[1], shape[2], shape[3],
			r.IntN(9), r.IntN(40), r.IntN(17), r.IntN(70))
		s := algebra.Swizzle{Bits: r.IntN(3), Base: r.IntN(3), Shift: 2 + r.IntN(3)}
		l := composed(t, s, text)
		threads, values := shape[0]*shape[1], shape[2]*shape[3]
		h, err := Hoist(Var("t", 0, threads-1), l)
		require.NoError(t, err, "%s", l)
		for v := range values {
			for x := range threads {
				got := h.Base[h.Of[v]][0].Eval(map[string]int{"t": x}) + h.Delta[v][0]
				require.Equal(t, l.At(x+threads*v), got, "%s at (%d,%d)", l, x, v)
			}
		}
		// The least number of bases: no two of them differ by a constant.
		for i := range h.Base {
			for j := range i {
				d := Add(h.Base[i][0], Scale(-1, h.Base[j][0]))
				first, differ := d.Eval(map[string]int{"t": 0}), false
				for x := range threads {
					differ = differ || d.Eval(map[string]int{"t": x}) != first
				}
				require.True(t, differ, "%s: bases %s and %s", l, h.Base[i][0], h.Base[j][0])
			}
		}
	}
}

func TestHoistRefusesOtherShapes(t *testing.T) {
	a, b := composed(t, algebra.Swizzle{}, "(8,4):(1,8)"), composed(t, algebra.Swizzle{}, "(8,2):(1,8)")
	_, err := Hoist(Var("t", 0, 7), a, b)
	assert.ErrorContains(t, err, "must have the modes (thread, value)")
}

func TestCeilDiv(t *testing.T) {
	for n := range 300 {
		assert.Equal(t, (n+63)/64, CeilDiv(Param("n", 0, 1<<31), 64).Eval(map[string]int{"n": n}))
	}
	assert.Equal(t, "(n + 63) >> 6", CeilDiv(Param("n", 0, 1<<31), 64).String())
}
