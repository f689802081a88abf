package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMakeLayoutRefuses(t *testing.T) {
	for _, c := range []struct{ shape, stride, why string }{
		{"(2,3)", "(1,2,4)", "layout (2,3):(1,2,4): shape and stride differ in profile"},
		{"(2,3)", "(1,(2))", "differ in profile"},
		{"4", "(1)", "differ in profile"},
		{"(2,0)", "(1,2)", "shape (2,0): got 0, allowed are integers of at least 1"},
		{"(2,-3)", "(1,2)", "got -3"},
		{"(2,3@0)", "(1,2)", "got 3@0"},
		{"(2,3)", "(1,_)", "stride: got _, allowed are integers and scaled basis elements"},
		{"(3037000500,3037000500)", "(0,0)", "does not fit in 64 bits"},
		{"(3037000501,2)", "(3037000500,1)", "cosize does not fit in 64 bits"},
		{"(2,2)", "(9223372036854775807,1)", "cosize does not fit in 64 bits"},
		{"(2,2)", "(1@0,1@64)", "stride 1@64: got basis mode 64, allowed are 0 to 63"},
		{"(2,2)", "(1@0,1)", "strides 1@0 and 1 cannot be added, allowed are offsets or coordinates of one profile"},
		{"(2,2)", "(1@0,1@1@0)", "strides 1@0 and 1@1@0 cannot be added"},
	} {
		_, err := MakeLayout(tuple(t, c.shape), tuple(t, c.stride))
		require.ErrorContains(t, err, c.why, "%s:%s", c.shape, c.stride)
	}
	// The twins that just fit.
	for _, text := range []string{
		"(3037000499,3037000499):(0,0)", "(3037000500,2):(3037000500,1)", "(2,1):(9223372036854775806,1)",
		"(2,2):(1@0,0)", "(2,2):(1@0@0,1@1@0)", "(2,2):(1@0,1@63)",
	} {
		require.Equal(t, text, layout(t, text).String())
	}
}

func TestLayoutZeroValue(t *testing.T) {
	var l Layout
	require.Equal(t, "():()", l.String())
	require.Equal(t, []int{0, 1, 1, 1, 0}, []int{l.Rank(), l.Depth(), l.Size(), l.Cosize(), l.At(0)})
	require.Empty(t, l.Modes())
}

func TestLayoutParts(t *testing.T) {
	l := layout(t, "(3,(2,4)):(8,(24,1))")
	require.Equal(t, "(3,(2,4))", l.Shape().String())
	require.Equal(t, "(8,(24,1))", l.Stride().String())
	require.Equal(t, []int{2, 2, 24, 44}, []int{l.Rank(), l.Depth(), l.Size(), l.Cosize()})
	require.Equal(t, "3:8", l.Mode(0).String())
	require.Equal(t, "(2,4):(24,1)", l.Mode(1).String())
	require.Equal(t, 27, l.Mode(1).At(7))
	require.Equal(t, "4:1", l.Mode(1).Mode(1).String())
	require.Equal(t, "8:1", layout(t, "8:1").Mode(0).String())
	again, err := Concat(l.Modes()...)
	require.NoError(t, err)
	require.True(t, again.Equal(l))
	require.False(t, again.Equal(layout(t, "(3,(2,4)):(8,(24,2))")))
	_, err = Concat(layout(t, "3037000500:1"), layout(t, "3037000500:1"))
	require.ErrorContains(t, err, "does not fit in 64 bits")
}

func TestCosize(t *testing.T) {
	for text, want := range map[string]int{
		"(8,8):(1,8)":               64,
		"(8,7):(1,9)":               62,
		"8:-2":                      15, // the offsets -14 to 0
		"(4,3):(-1,4)":              12,
		"(4,3):(0,0)":               1,
		"(8,4):(1@0,1@1)":           32,
		"((2,4),4):((4@1,1@0),1@1)": 32,
	} {
		require.Equal(t, want, layout(t, text).Cosize(), text)
	}
}

func TestCoordBeyondDomain(t *testing.T) {
	l := layout(t, "(4,(2,3)):(1,(4,8))")
	require.Equal(t, "(3,(1,2))", l.Coord(23).String())
	require.Equal(t, "(0,(0,3))", l.Coord(24).String(), "the last mode goes on")
	require.Equal(t, 24, l.At(24))
	require.Equal(t, -5, l.At(-5), "and to below 0, by the odd function")
}

func TestIndexRefuses(t *testing.T) {
	l := layout(t, "((2,2),3):((1,6),2)")
	for _, c := range []struct{ coord, why string }{
		{"12", "coordinate 12 of ((2,2),3):((1,6),2): got 12 in shape ((2,2),3), allowed is 0 to 11"},
		{"-1", "allowed is 0 to 11"},
		{"(4,0)", "got 4 in shape (2,2), allowed is 0 to 3"},
		{"((1,2),0)", "got 2 in shape 2, allowed is 0 to 1"},
		{"(0,3)", "got 3 in shape 3, allowed is 0 to 2"},
		{"(0,(1))", "(1) does not fit the shape 3"},
		{"(0,0,0,0)", "(0,0,0,0) does not fit the shape ((2,2),3)"},
		{"(0,_)", "got _"},
		{"(0,1@0)", "got 1@0"},
	} {
		_, err := l.Index(tuple(t, c.coord))
		require.ErrorContains(t, err, c.why)
	}
	for _, coord := range []string{"11", "(3,2)", "((1,1),2)", "(1,1,2)"} {
		got, err := l.Index(tuple(t, coord))
		require.NoError(t, err)
		require.Equal(t, 11, got)
	}
	_, err := layout(t, "(2,3):(1@0,1@1)").Index(Int(0))
	require.ErrorContains(t, err, "its values are coordinates, not offsets; use Value or Dot")
	require.Panics(t, func() { layout(t, "(2,3):(1@0,1@1)").At(0) })
}

func TestCompact(t *testing.T) {
	for _, c := range []struct{ shape, col, row string }{
		{"8", "8:1", "8:1"},
		{"(4,3)", "(4,3):(1,4)", "(4,3):(3,1)"},
		{"(2,1,3)", "(2,1,3):(1,0,2)", "(2,1,3):(3,0,1)"},
		{"((2,2),(3,5))", "((2,2),(3,5)):((1,2),(4,12))", "((2,2),(3,5)):((30,15),(5,1))"},
		{"()", "():()", "():()"},
	} {
		col, err := ColMajor(tuple(t, c.shape))
		require.NoError(t, err)
		require.Equal(t, c.col, col.String())
		row, err := RowMajor(tuple(t, c.shape))
		require.NoError(t, err)
		require.Equal(t, c.row, row.String())
	}
	for _, make := range []func(Tuple) (Layout, error){ColMajor, RowMajor, Identity} {
		_, err := make(Ints(4, 0))
		require.ErrorContains(t, err, "got 0, allowed are integers of at least 1")
		_, err = make(Ints(1<<32, 1<<31))
		require.ErrorContains(t, err, "does not fit in 64 bits")
	}
}

// TestIdentity: the value at a coordinate is the coordinate.
func TestIdentity(t *testing.T) {
	for _, text := range []string{"(8,4)", "(3,(2,5))", "(((2,3)),4)", "(1,3)"} {
		l, err := Identity(tuple(t, text))
		require.NoError(t, err)
		for i := range l.Size() {
			value, err := l.Value(Int(i))
			require.NoError(t, err)
			require.Equal(t, l.Coord(i).String(), value.String())
		}
	}
	l, err := Identity(Int(5))
	require.NoError(t, err)
	require.Equal(t, "5:1", l.String())
}

func TestValueComponentsDot(t *testing.T) {
	l := layout(t, "((2,16),4):((4@1,1@0),1@1)")
	value, err := l.Value(tuple(t, "((1,5),3)"))
	require.NoError(t, err)
	require.Equal(t, "(5,7)", value.String())
	components, err := l.Components()
	require.NoError(t, err)
	require.Len(t, components, 2)
	require.Equal(t, "((2,16),4):((0,1),0)", components[0].String())
	require.Equal(t, "((2,16),4):((4,0),1)", components[1].String())
	dot, err := Dot(l, 8, 1)
	require.NoError(t, err)
	require.Equal(t, "((2,16),4):((4,8),1)", dot.String())
	// The dot product of the components with the strides is the offset.
	for i := range l.Size() {
		require.Equal(t, components[0].At(i)*8+components[1].At(i), dot.At(i))
	}
	third, err := l.Component(2)
	require.NoError(t, err)
	require.Equal(t, "((2,16),4):((0,0),0)", third.String())

	_, err = layout(t, "(4,4):(1@0,1@0@1)").Components()
	require.ErrorContains(t, err, "stride 1@0@1 is not on a top-level mode, allowed is n@k")
	_, err = layout(t, "(4,4):(1,4)").Components()
	require.ErrorContains(t, err, "components of (4,4):(1,4): its strides are plain")
	_, err = Dot(l, 8)
	require.ErrorContains(t, err, "stride 1@1 has no partner, allowed is n@k with k below 1")
	_, err = Dot(layout(t, "(4,4):(1,4)"), 1, 1)
	require.ErrorContains(t, err, "has no partner")
	_, err = Dot(l, 1<<62, 1<<62)
	require.ErrorContains(t, err, "does not fit in 64 bits")
	plain, err := layout(t, "(3,(2,4)):(4,(1,16))").Value(Ints(2, 3))
	require.NoError(t, err)
	require.Equal(t, "25", plain.String())
}

func TestSlice(t *testing.T) {
	for _, c := range []struct{ layout, coord, want, offset string }{
		{"(3,(2,4)):(4,(1,16))", "(2,(_,3))", "(2):(1)", "56"},
		{"(3,(2,4)):(4,(1,16))", "(_,7)", "(3):(4)", "49"},
		{"(3,(2,4)):(4,(1,16))", "(1,_)", "((2,4)):((1,16))", "4"},
		{"(3,(2,4)):(4,(1,16))", "(_,_)", "(3,(2,4)):(4,(1,16))", "0"},
		{"(3,(2,4)):(4,(1,16))", "_", "(3,(2,4)):(4,(1,16))", "0"},
		{"(3,(2,4)):(4,(1,16))", "(2,(1,3))", "():()", "57"},
		{"(3,(2,4)):(4,(1,16))", "23", "():()", "57"},
		{"(8,16):(1@0,1@1)", "(_,5)", "(8):(1@0)", "(0,5)"},
		{"(8,16):(1@0,1@1)", "(0,_)", "(16):(1@1)", "(0,0)"},
	} {
		got, at, err := Slice(layout(t, c.layout), tuple(t, c.coord))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s of %s", c.coord, c.layout)
		require.Equal(t, c.offset, at.String(), "%s of %s", c.coord, c.layout)
	}
	for _, c := range []struct{ coord, why string }{
		{"(3,_)", "slice (3,_) of (3,(2,4)):(4,(1,16)): got 3 in shape 3, allowed is 0 to 2"},
		{"(_,(_,4))", "got 4 in shape 4"},
		{"(_)", "(_) does not fit the shape (3,(2,4))"},
		{"((_),0)", "(_) does not fit the shape 3"},
	} {
		_, _, err := Slice(layout(t, "(3,(2,4)):(4,(1,16))"), tuple(t, c.coord))
		require.ErrorContains(t, err, c.why)
	}
}

func TestDomainOffset(t *testing.T) {
	l, at, err := DomainOffset(layout(t, "(9,4):(4,1)"), Ints(4, 2))
	require.NoError(t, err)
	require.Equal(t, "(9,4):(4,1) at 18", l.String()+" at "+at.String())
	_, at, err = DomainOffset(layout(t, "(9,4):(1@0,1@1)"), Int(13))
	require.NoError(t, err)
	require.Equal(t, "(4,1)", at.String())
	_, _, err = DomainOffset(layout(t, "(9,4):(4,1)"), Ints(9, 0))
	require.ErrorContains(t, err, "got 9 in shape 9, allowed is 0 to 8")
}
