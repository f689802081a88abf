package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTupleModes(t *testing.T) {
	u := tuple(t, "(4,(5,6),7)")
	x := tuple(t, "(8,9)")
	for _, c := range []struct {
		name string
		op   func() (Tuple, error)
		want string // the result, or a part of the error
	}{
		{"select", func() (Tuple, error) { return u.Select(2, 0, 2) }, "(7,4,7)"},
		{"select", func() (Tuple, error) { return u.Select() }, "()"},
		{"select", func() (Tuple, error) { return Int(3).Select(0) }, "(3)"},
		{"select", func() (Tuple, error) { return u.Select(0, 3) }, "select 3 of (4,(5,6),7): allowed are 0 to 2"},
		{"select", func() (Tuple, error) { return u.Select(-1) }, "select -1 of"},
		{"take", func() (Tuple, error) { return u.Take(1, 3) }, "((5,6),7)"},
		{"take", func() (Tuple, error) { return u.Take(0, 3) }, "(4,(5,6),7)"},
		{"take", func() (Tuple, error) { return u.Take(1, 4) }, "take 1 to 4 of (4,(5,6),7): allowed are ranges in 0 to 3 that are not empty"},
		{"take", func() (Tuple, error) { return u.Take(1, 1) }, "allowed are ranges"},
		{"take", func() (Tuple, error) { return u.Take(-1, 1) }, "allowed are ranges"},
		{"group", func() (Tuple, error) { return u.Group(0, 2) }, "((4,(5,6)),7)"},
		{"group", func() (Tuple, error) { return u.Group(2, 3) }, "(4,(5,6),(7))"},
		{"group", func() (Tuple, error) { return u.Group(2, 4) }, "group: take 2 to 4 of"},
		{"replace", func() (Tuple, error) { return u.Replace(1, x) }, "(4,(8,9),7)"},
		{"replace", func() (Tuple, error) { return u.Replace(3, x) }, "replace element 3 of (4,(5,6),7): allowed are 0 to 2"},
		{"append", func() (Tuple, error) { return u.Append(x), nil }, "(4,(5,6),7,(8,9))"},
		{"append", func() (Tuple, error) { return Int(1).Append(x), nil }, "(1,(8,9))"},
		{"prepend", func() (Tuple, error) { return u.Prepend(x), nil }, "((8,9),4,(5,6),7)"},
		{"unflatten", func() (Tuple, error) { return Ints(1, 2, 3, 4).Unflatten(u) }, "(1,(2,3),4)"},
		{"unflatten", func() (Tuple, error) { return Ints(1, 2, 3).Unflatten(u) },
			"unflatten (1,2,3) to (4,(5,6),7): allowed are flat tuples with a leaf for each of the profile's 4"},
		{"unflatten", func() (Tuple, error) { return u.Unflatten(u) }, "allowed are flat tuples"},
	} {
		got, err := c.op()
		if err != nil {
			require.ErrorContains(t, err, c.want, c.name)
			continue
		}
		require.Equal(t, c.want, got.String(), c.name)
	}
	require.Equal(t, "(4,(5,6),7)", u.String(), "tuples are immutable")
}

func TestLayoutModes(t *testing.T) {
	l := layout(t, "(4,(5,6),7):(1,(4,20),121)")
	m := layout(t, "(2,3):(3,1)")
	for _, c := range []struct {
		op   func() (Layout, error)
		want string
	}{
		{func() (Layout, error) { return l.Select(2, 0) }, "(7,4):(121,1)"},
		{func() (Layout, error) { return l.Select(3) }, "layout (4,(5,6),7):(1,(4,20),121): select 3 of (4,(5,6),7): allowed are 0 to 2"},
		{func() (Layout, error) { return l.Take(1, 2) }, "((5,6)):((4,20))"},
		{func() (Layout, error) { return l.Take(2, 2) }, "allowed are ranges"},
		{func() (Layout, error) { return l.Group(1, 3) }, "(4,((5,6),7)):(1,((4,20),121))"},
		{func() (Layout, error) { return l.Group(3, 4) }, "allowed are ranges"},
		{func() (Layout, error) { return l.Append(m) }, "(4,(5,6),7,(2,3)):(1,(4,20),121,(3,1))"},
		{func() (Layout, error) { return l.Prepend(m) }, "((2,3),4,(5,6),7):((3,1),1,(4,20),121)"},
		{func() (Layout, error) { return l.Replace(1, m) }, "(4,(2,3),7):(1,(3,1),121)"},
		{func() (Layout, error) { return l.Replace(-1, m) }, "replace mode -1 of (4,(5,6),7):(1,(4,20),121): allowed are 0 to 2"},
		{func() (Layout, error) { return l.AppendTo(5) }, "(4,(5,6),7,1,1):(1,(4,20),121,0,0)"},
		{func() (Layout, error) { return l.AppendTo(3) }, l.String()},
		{func() (Layout, error) { return l.AppendTo(2) }, "to rank 2: allowed are ranks from 3 to 64"},
		{func() (Layout, error) { return l.AppendTo(65) }, "to rank 65: allowed are ranks from 3 to 64"},
		{func() (Layout, error) { return l.PrependTo(4) }, "(1,4,(5,6),7):(0,1,(4,20),121)"},
		{func() (Layout, error) { return l.PrependTo(1) }, "to rank 1: allowed"},
		{func() (Layout, error) { return l.Flatten().Unflatten(l.Shape()) }, l.String()},
		{func() (Layout, error) { return l.Unflatten(l.Shape()) }, "allowed are flat tuples"},
		{func() (Layout, error) { return Concat(l, l, l, l, l, l, l, l, l, l) }, "size"},
	} {
		got, err := c.op()
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
	require.Equal(t, "(4,(5,6),7):(1,(4,20),121)", l.String(), "layouts are immutable")
}

// TestLayoutModesKeepTheFunction: grouping, flattening and modes of extent 1 change the coordinates only.
func TestLayoutModesKeepTheFunction(t *testing.T) {
	l := layout(t, "(3,(5,2),4):(40,(1,7),10)")
	for _, op := range []func() (Layout, error){
		func() (Layout, error) { return l.Group(0, 2) },
		func() (Layout, error) { return l.Group(1, 3) },
		func() (Layout, error) { return l.AppendTo(5) },
		func() (Layout, error) { return l.PrependTo(5) },
		func() (Layout, error) { return l.Flatten(), nil },
		func() (Layout, error) { return l.Flatten().Unflatten(MakeTuple(Ints(0, 0, 0), Int(0))) },
	} {
		got, err := op()
		require.NoError(t, err)
		require.NotEqual(t, l.String(), got.String())
		require.Equal(t, offsets(l), offsets(got), got)
	}
}
