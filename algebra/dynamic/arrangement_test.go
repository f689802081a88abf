package dynamic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

// arrangements are the operations that list, order and pick modes. TestDefinitions runs them.
var arrangements = []operationTest{
	byText("select", func(r source, l Layout) (Layout, twin, error) {
		places := r.Perm(l.Rank())[:1+r.IntN(l.Rank())]
		got, err := l.Select(places...)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return s.Select(places...) }, err
	}),
	byText("take", func(r source, l Layout) (Layout, twin, error) {
		begin := r.IntN(l.Rank())
		end := begin + 1 + r.IntN(l.Rank()-begin)
		got, err := l.Take(begin, end)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return s.Take(begin, end) }, err
	}),
	byText("group", func(r source, l Layout) (Layout, twin, error) {
		begin := r.IntN(l.Rank())
		end := begin + 1 + r.IntN(l.Rank()-begin)
		got, err := l.Group(begin, end)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return s.Group(begin, end) }, err
	}),
	byText("append", func(_ source, l Layout) (Layout, twin, error) {
		got, err := l.Append(l.Mode(0))
		return got, func(s algebra.Layout) (algebra.Layout, error) { return s.Append(s.Mode(0)) }, err
	}),
	byText("prepend", func(_ source, l Layout) (Layout, twin, error) {
		got, err := l.Prepend(l.Mode(0))
		return got, func(s algebra.Layout) (algebra.Layout, error) { return s.Prepend(s.Mode(0)) }, err
	}),
	byText("replace", func(r source, l Layout) (Layout, twin, error) {
		i, by := r.IntN(l.Rank()), r.IntN(l.Rank())
		got, err := l.Replace(i, l.Mode(by))
		return got, func(s algebra.Layout) (algebra.Layout, error) { return s.Replace(i, s.Mode(by)) }, err
	}),
	byText("filter_zeros", func(_ source, l Layout) (Layout, twin, error) {
		got, err := FilterZeros(l)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return algebra.FilterZeros(s), nil }, err
	}),
	byModes("coalesce by profile", 100, func(_ source, l Layout) (Layout, twin, error) {
		profile := algebra.Ints(slices.Repeat([]int{1}, l.Rank())...)
		got, err := CoalesceModes(l, profile)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return algebra.CoalesceModes(s, profile) }, err
	}),
	byModes("filter by profile", 80, func(_ source, l Layout) (Layout, twin, error) {
		profile := algebra.Ints(slices.Repeat([]int{1}, l.Rank())...)
		got, err := FilterModes(l, profile)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return algebra.FilterModes(s, profile) }, err
	}),
	byModes("compact_col_major", 90, func(_ source, l Layout) (Layout, twin, error) {
		got, err := ColMajor(l.Shape())
		return got, func(s algebra.Layout) (algebra.Layout, error) { return algebra.ColMajor(s.Shape()) }, err
	}),
	byModes("compact_row_major", 90, func(_ source, l Layout) (Layout, twin, error) {
		got, err := RowMajor(l.Shape())
		return got, func(s algebra.Layout) (algebra.Layout, error) { return algebra.RowMajor(s.Shape()) }, err
	}),
	byModes("compact_order", 90, func(r source, l Layout) (Layout, twin, error) {
		order := algebra.Ints(r.Perm(l.Rank())...)
		if l.profile.IsLeaf() {
			order = algebra.Int(0)
		}
		got, err := Ordered(l.Shape(), order)
		return got, func(s algebra.Layout) (algebra.Layout, error) { return algebra.Ordered(s.Shape(), order) }, err
	}),
	{"recast", 20, func(t *testing.T, r source) (string, func(values), error) {
		l, widths := r.layout(t, false), []int{4, 8, 16, 32, 64}
		from, to := widths[r.IntN(len(widths))], widths[r.IntN(len(widths))]
		got, err := Recast(l, from, to)
		return fmt.Sprintf("recast of %v from %d to %d = %v", l, from, to, got), func(v values) {
			want, err := algebra.Recast(v.layout(t, l), from, to)
			require.NoError(t, err)
			require.Equal(t, offsets(want), offsets(v.layout(t, got)), v) // parts go to another mode where an extent is 1
		}, err
	}},
	{"make_layout_like", 40, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, r.IntN(2) == 0)
		like, err := LayoutLike(l)
		return fmt.Sprintf("layout like %v = %v", l, like), func(v values) { requireLike(t, v.layout(t, l), v.layout(t, like)) }, err
	}},
	{"ceil_div", 100, func(t *testing.T, r source) (string, func(values), error) {
		s := r.layout(t, true).Shape()
		tile := Shape{profile: s.profile}
		for range s.extents {
			n, err := ParseInt(r.extent())
			require.NoError(t, err)
			tile.extents = append(tile.extents, n)
		}
		tiles, err := s.CeilDiv(tile)
		return fmt.Sprintf("ceil div of %v by %v = %v", s, tile, tiles), func(v values) {
			want, err := algebra.CeilDiv(v.shape(s), v.shape(tile))
			require.NoError(t, err)
			require.Equal(t, want.String(), v.shape(tiles).String(), v)
		}, err
	}},
	{"idx2crd", 40, func(t *testing.T, r source) (string, func(values), error) {
		n := r.pick("1", "2", "4", "m")
		shape, err := ParseShape("(" + n + "," + r.extent() + ")")
		require.NoError(t, err)
		position, err := ParseInt(r.pick("0", "1", "i", n+"*i", n+"*i+1", n+"*j-1", n+"*j"))
		require.NoError(t, err)
		c, err := CoordOf(shape, position)
		return fmt.Sprintf("coordinate of %v in %v = %v", position, shape, c), func(v values) {
			at := v.of(position)
			if l, err := algebra.ColMajor(v.shape(shape)); at >= 0 && at < v.of(shape.Size()) {
				require.NoError(t, err)
				require.Equal(t, components(l.Coord(at)), components(v.coord(c)), v)
			}
		}, err
	}},
	picked("domain_offset", 33, func(l Layout, _ Tiler, c Coord) (Layout, Coord, error) { return DomainOffset(l, c) },
		func(l algebra.Layout, _ algebra.Tiler, c algebra.Tuple) (algebra.Layout, algebra.Tuple, error) {
			return algebra.DomainOffset(l, c)
		}, "0", "1", "i", "m-1", "2*i+1"),
	picked("local_tile", 20, LocalTile, algebra.LocalTile, "_", "0", "i", "j"),
	picked("outer_partition", 20, OuterPartition, algebra.OuterPartition, "_", "0", "i", "j"),
}

// twin is the operation of package algebra with the same arguments.
type twin = func(algebra.Layout) (algebra.Layout, error)

// arranged is an operation with its twin.
type arranged func(source, Layout) (Layout, twin, error)

// byText compares the texts.
func byText(name string, op arranged) operationTest {
	return compared(name, 66, op, func(t *testing.T, want, got algebra.Layout) { require.Equal(t, want.String(), got.String()) })
}

// byModes compares as functions mode by mode: an extent that is 1 with the values is a mode here.
func byModes(name string, least int, op arranged) operationTest {
	return compared(name, least, op, func(t *testing.T, want, got algebra.Layout) { requireModes(t, want, got) })
}

func compared(name string, least int, op arranged, equal func(t *testing.T, want, got algebra.Layout)) operationTest {
	return operationTest{name, least, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		got, static, err := op(r, l)
		return fmt.Sprintf("%s of %v = %v", name, l, got), func(v values) {
			want, err := static(v.layout(t, l))
			require.NoError(t, err)
			equal(t, want, v.layout(t, got))
		}, err
	}}
}

// picked compares a part and its offset with package algebra's.
func picked(name string, least int, op func(Layout, Tiler, Coord) (Layout, Coord, error),
	static func(algebra.Layout, algebra.Tiler, algebra.Tuple) (algebra.Layout, algebra.Tuple, error), coords ...string) operationTest {
	return operationTest{name, least, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		tiler := r.tiler(t, l)
		for tiler.Modes == nil { // a tiler for each mode
			tiler = r.tiler(t, l)
		}
		texts := make([]string, l.Rank())
		for i := range texts {
			texts[i] = r.pick(coords...)
		}
		c, err := ParseCoord("(" + strings.Join(texts, ",") + ")")
		require.NoError(t, err)
		part, at, err := op(l, tiler, c)
		return fmt.Sprintf("%s of %v by %v at %v = %v at offset %v", name, l, tiler, c, part, at), func(v values) {
			v["i"], v["j"] = v["i"]-1, v["j"]-1
			if v.layout0(t, l).Size() > large {
				return
			}
			want, offset, err := static(v.layout0(t, l), v.tiler(t, tiler), v.coord(c))
			if err != nil {
				require.ErrorContains(t, err, "allowed is 0 to", v) // the coordinate is outside with these values
				return
			}
			require.Equal(t, components(offset), components(v.coord(at)), v)
			requireSame(t, want, v.layout0(t, part))
		}, err
	}}
}

// shape is s with the values.
func (v values) shape(s Shape) algebra.Tuple {
	extents := make([]algebra.Tuple, len(s.extents))
	for i, n := range s.extents {
		extents[i] = algebra.Int(v.of(n))
	}
	return filled(s.profile, extents)
}

// components lists a coordinate's components that are not 0, by their place: what it leaves out at the end is 0.
func components(c algebra.Tuple) map[string]int {
	at := map[string]int{}
	var walk func(c algebra.Tuple, path string)
	walk = func(c algebra.Tuple, path string) {
		if !c.IsLeaf() {
			for i := range c.Rank() {
				walk(c.Mode(i), fmt.Sprintf("%s.%d", path, i))
			}
		} else if n := c.Value(); n != 0 {
			at[path] = n
		}
	}
	walk(c, "")
	return at
}

// requireLike: the moving modes fill 0 to their size, and step in the order in which l's do.
func requireLike(t *testing.T, l, like algebra.Layout) {
	t.Helper()
	require.Equal(t, l.Shape().String(), like.Shape().String())
	moving := algebra.FilterZeros(like)
	require.Equal(t, moving.Size(), moving.Cosize(), "%v like %v", like, l)
	shapes, strides, steps := l.Shape().Leaves(), l.Stride().Leaves(), like.Stride().Leaves()
	for i := range shapes {
		if shapes[i].Value() == 1 {
			continue
		}
		require.Equal(t, strides[i].Value() == 0, steps[i].Value() == 0, "%v like %v", like, l)
		for k := range shapes {
			if shapes[k].Value() > 1 && strides[i].Value() < strides[k].Value() && strides[i].Value() != 0 && strides[k].Value() != 0 {
				require.Less(t, steps[i].Value(), steps[k].Value(), "%v like %v", like, l)
			}
		}
	}
}

// offsets counts how many coordinates have each offset.
func offsets(l algebra.Layout) map[int]int {
	count := map[int]int{}
	for i := range l.Size() {
		count[offset(l, i)]++
	}
	return count
}
