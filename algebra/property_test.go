package algebra

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The definitions of the operations over layouts that rapid draws and shrinks: nested up to four deep, in any order of memory,
// padded, turned around, with strides of 0 and at random.

// TestMain fixes the layouts that rapid draws, so that every run is the same one. -rapid.seed and -rapid.checks ask for others.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "500", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}

// shapes draws a shape of at most limit coordinates.
func shapes(depth, limit int) *rapid.Generator[Tuple] {
	return rapid.Custom(func(t *rapid.T) Tuple {
		left := limit
		return drawShape(t, depth, &left)
	})
}

// drawShape draws a shape of at most *left coordinates, and divides *left by them.
func drawShape(t *rapid.T, depth int, left *int) Tuple {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		n := rapid.SampledFrom([]int{2, 3, 4, 1, 5, 6, 7, 8, 9, 12}).Draw(t, "extent")
		n = min(n, *left)
		*left /= n
		return Int(n)
	}
	elems := make([]Tuple, rapid.IntRange(1, 3).Draw(t, "rank"))
	for i := range elems {
		elems[i] = drawShape(t, depth-1, left)
	}
	return MakeTuple(elems...)
}

// layouts draws a layout of at most limit coordinates with strides of at least 0.
func layouts(limit int) *rapid.Generator[Layout] { return drawLayouts(limit, false) }

// signed is layouts with strides below 0 too.
func signed(limit int) *rapid.Generator[Layout] { return drawLayouts(limit, true) }

func drawLayouts(limit int, negative bool) *rapid.Generator[Layout] {
	return rapid.Custom(func(t *rapid.T) Layout {
		shape := shapes(4, limit).Draw(t, "shape")
		leaves := shape.Leaves()
		strides := make([]Tuple, len(leaves))
		wild := rapid.IntRange(0, 4).Draw(t, "wild") == 4
		next := 1
		for _, k := range rapid.Permutation(indices(len(leaves))).Draw(t, "order") {
			stride := next
			next *= leaves[k].Value()
			switch rapid.IntRange(0, 11).Draw(t, "kind") {
			case 11:
				stride = 0
			case 10:
				next *= 2
			case 9:
				next += rapid.IntRange(1, 3).Draw(t, "padding")
			}
			if wild {
				stride = rapid.IntRange(0, 9).Draw(t, "stride")
			}
			if negative && rapid.IntRange(0, 7).Draw(t, "turned") == 7 {
				stride = -stride
			}
			strides[k] = Int(stride)
		}
		l, err := MakeLayout(shape, unflatten(strides, shape))
		if err != nil {
			t.Fatalf("bug: %v", err)
		}
		return l
	})
}

// properties are the definitions, each of one or of a few operations. They tell whether there was an answer, and no refusal.
var properties = map[string]func(*rapid.T) (answered bool){
	"function":     functionProperty,
	"coalesce":     coalesceProperty,
	"filter":       filterProperty,
	"modes":        modesProperty,
	"slice":        sliceProperty,
	"composition":  compositionProperty,
	"coordinates":  coordinatesProperty,
	"complement":   complementProperty,
	"divide":       divideProperty,
	"matrix":       matrixProperty,
	"product":      productProperty,
	"grid":         gridProperty,
	"rightInverse": rightInverseProperty,
	"leftInverse":  leftInverseProperty,
	"nullspace":    nullspaceProperty,
	"coordOf":      coordOfProperty,
	"localTile":    localTileProperty,
	"partition":    partitionProperty,
	"projection":   projectionProperty,
	"tiler":        tilerProperty,
	"compact":      compactProperty,
	"arithmetic":   arithmeticProperty,
	"dot":          dotProperty,
}

func TestProperties(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		t.Run(name, func(t *testing.T) {
			asked, answered := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				asked++
				if properties[name](t) {
					answered++
				}
			})
			require.Greater(t, 4*answered, asked, "%d of %d are answered, the others refused", answered, asked)
		})
	}
}

// functionProperty: each way to name a coordinate has the offset of the definition; the cosize is the span; the text reads back.
func functionProperty(t *rapid.T) (answered bool) {
	l := signed(200).Draw(t, "l")
	want := offsets(l)
	for i := range want {
		coord := l.Coord(i)
		for _, name := range []Tuple{Int(i), coord, Flatten(coord)} {
			got, err := l.Index(name)
			same(t, "index", want[i], got, err, &l, name)
		}
		value, err := l.Value(coord)
		same(t, "value", want[i], value.Value(), err, &l, coord)
		same(t, "at", want[i], l.At(i), nil, &l, coord)
	}
	require.Equal(t, len(want), l.Size())
	require.Equal(t, slices.Max(want)-slices.Min(want)+1, l.Cosize(), l)
	again, err := ParseLayout(l.String())
	require.NoError(t, err)
	require.True(t, again.Equal(l))
	_, err = l.Index(Int(len(want)))
	require.Error(t, err)
	return true
}

// same fails unless the operation has the wanted value for the layout at a place.
func same(t *rapid.T, op string, want, got int, err error, l *Layout, place Tuple) {
	if err != nil || want != got {
		t.Fatalf("%s of %v at %v: got %d, %v, want %d", op, l, place, got, err, want)
	}
}

// refined draws the same function with modes cut in two, ones between them, and other parentheses.
func refined(t *rapid.T, l Layout) Layout {
	var modes []mode
	for _, m := range l.leaves() {
		if rapid.Bool().Draw(t, "one") {
			modes = append(modes, mode{shape: 1, stride: rapid.IntRange(-3, 9).Draw(t, "free")})
		}
		for f := 2; f < m.shape; f++ {
			if m.shape%f == 0 && rapid.Bool().Draw(t, "cut") {
				modes = append(modes, mode{shape: f, stride: m.stride})
				m.shape, m.stride = m.shape/f, m.stride*f
				break
			}
		}
		modes = append(modes, m)
	}
	flat := newLayout(flatProfile(len(modes)), modes)
	begin := rapid.IntRange(0, len(modes)-1).Draw(t, "begin")
	grouped, err := flat.Group(begin, rapid.IntRange(begin+1, len(modes)).Draw(t, "end"))
	require.NoError(t, err)
	return grouped
}

// coalesceProperty: the function stays, no two neighbours could be one, and the text depends on the function alone.
func coalesceProperty(t *rapid.T) (answered bool) {
	l := signed(200).Draw(t, "l")
	c := Coalesce(l)
	require.Equal(t, offsets(l), offsets(c), "%v coalesces to %v", l, c)
	require.LessOrEqual(t, c.Depth(), 1)
	for k, m := range c.leaves() {
		require.False(t, m.shape == 1 && l.Size() > 1, "%v coalesces to %v", l, c)
		if k > 0 {
			before := c.leaves()[k-1]
			require.NotEqual(t, before.shape*before.stride, m.stride, "%v coalesces to %v", l, c)
		}
	}
	other := refined(t, l)
	require.Equal(t, offsets(l), offsets(other))
	require.Equal(t, c.String(), Coalesce(other).String(), "%v and %v are one function", l, other)

	byMode, err := CoalesceModes(l, Ints(slices.Repeat([]int{1}, l.Rank())...))
	require.NoError(t, err)
	require.Equal(t, offsets(l), offsets(byMode))
	require.Equal(t, l.Rank(), byMode.Rank())
	for i, m := range l.Modes() {
		require.True(t, byMode.Mode(i).Equal(Coalesce(m)), "mode %d of %v is %v", i, l, byMode)
	}
	return true
}

// filterProperty: the same offsets, without the modes that do not move.
func filterProperty(t *rapid.T) (answered bool) {
	l := signed(200).Draw(t, "l")
	moving := 1
	for _, m := range l.leaves() {
		if m.stride != 0 {
			moving *= m.shape
		}
	}
	for _, f := range []Layout{Filter(l), FilterZeros(l)} {
		require.Equal(t, moving, f.Size(), "%v of %v", f, l)
		require.Equal(t, image(l), image(f), "%v of %v", f, l)
	}
	require.True(t, Congruent(FilterZeros(l).Shape(), l.Shape()))
	return true
}

// image is the sorted offsets, each once.
func image(l Layout) []int { return slices.Compact(slices.Sorted(slices.Values(offsets(l)))) }

// modesProperty: what rearranges the modes takes its coordinates along.
func modesProperty(t *rapid.T) (answered bool) {
	l := signed(100).Draw(t, "l")
	l, err := Concat(l.Modes()...) // a leaf as a list of one
	require.NoError(t, err)
	require.Equal(t, offsets(l), offsets(l.Flatten()))
	back, err := l.Flatten().Unflatten(l.Shape())
	require.NoError(t, err)
	if l.Flatten().Rank() == len(l.leaves()) {
		require.True(t, back.Equal(l), "%v flattened and back is %v", l, back)
	}
	begin := rapid.IntRange(0, l.Rank()-1).Draw(t, "begin")
	end := rapid.IntRange(begin+1, l.Rank()).Draw(t, "end")
	grouped, err := l.Group(begin, end)
	require.NoError(t, err)
	require.Equal(t, offsets(l), offsets(grouped))
	require.Equal(t, l.Rank()-(end-begin)+1, grouped.Rank())

	at, atBegin := offsetOf(l), offsetOf(l.Mode(begin))
	places := rapid.Permutation(indices(l.Rank())).Draw(t, "places")
	picked, err := l.Select(places...)
	require.NoError(t, err)
	one := layouts(4).Draw(t, "one")
	replaced, err := l.Replace(begin, one)
	require.NoError(t, err)
	for i := range l.Size() {
		coord := topCoord(l, i)
		moved := make([]Tuple, len(places))
		for k, p := range places {
			moved[k] = coord[p]
		}
		got, err := picked.Index(MakeTuple(moved...))
		same(t, "select", at(i), got, err, &l, MakeTuple(moved...))

		rest := at(i) - atBegin(coord[begin].Value())
		coord[begin] = Int(one.Size() - 1)
		got, err = replaced.Index(MakeTuple(coord...))
		same(t, "replace", rest+offset(one, one.Size()-1), got, err, &l, MakeTuple(coord...))
	}
	return true
}

// topCoord is the coordinate of position i with an integer for each top-level mode.
func topCoord(l Layout, i int) []Tuple {
	at := make([]Tuple, l.Rank())
	for k, m := range l.Modes() {
		at[k], i = Int(i%m.Size()), i/m.Size()
	}
	return at
}

// sliceProperty: the slice at what is left, plus its offset, is the layout at the whole coordinate.
func sliceProperty(t *rapid.T) (answered bool) {
	l := signed(150).Draw(t, "l")
	l, err := Concat(l.Modes()...)
	require.NoError(t, err)
	coord := make([]Tuple, l.Rank())
	var kept []int
	for k, m := range l.Modes() {
		coord[k] = Underscore
		if rapid.Bool().Draw(t, "fixed") {
			coord[k] = Int(rapid.IntRange(0, m.Size()-1).Draw(t, "digit"))
		} else {
			kept = append(kept, k)
		}
	}
	s, at, err := Slice(l, MakeTuple(coord...))
	require.NoError(t, err)
	for i := range s.Size() {
		whole := slices.Clone(coord)
		for n, digit := range topCoord(s, i) {
			whole[kept[n]] = digit
		}
		want, err := l.Index(MakeTuple(whole...))
		same(t, "slice", want, at.Value()+offset(s, i), err, &l, MakeTuple(whole...))
	}
	return true
}

// compositionProperty: given exactly if some refinement of b's shape has the values, with these; refused at the first coordinate
// at which none has.
func compositionProperty(t *rapid.T) (answered bool) {
	a, b := signed(200).Draw(t, "a"), signed(36).Draw(t, "b")
	got, err := Composition(a, b)
	first := refusalOf(b.Shape(), composed(a, b))
	if first >= 0 {
		require.ErrorContains(t, err, fmt.Sprintf("at coordinate %v of %v ", b.Coord(first), b.Shape()), "%v o %v", a, b)
		return false
	}
	require.NoError(t, err)
	requireComposition(t, a, b, got)
	return true
}

// coordinatesProperty: a right side of coordinates picks the elements that they name.
func coordinatesProperty(t *rapid.T) (answered bool) {
	a := layouts(200).Draw(t, "a")
	a, err := Concat(a.Modes()...)
	require.NoError(t, err)
	shape := shapes(2, 24).Draw(t, "shape")
	strides := make([]Tuple, len(shape.Leaves()))
	for k := range strides {
		strides[k] = Basis(rapid.IntRange(0, 3).Draw(t, "step"), rapid.IntRange(0, a.Rank()-1).Draw(t, "mode"))
	}
	b, err := MakeLayout(shape, unflatten(strides, shape))
	require.NoError(t, err)
	want := make([]int, b.Size())
	for i := range want {
		value, err := b.Value(Int(i))
		require.NoError(t, err)
		for k, m := range a.Modes() {
			if !value.IsLeaf() && k < value.Rank() {
				want[i] += offset(m, value.Mode(k).Value())
			}
		}
	}
	got, err := Composition(a, b)
	if err != nil {
		require.GreaterOrEqual(t, refusalOf(shape, want), 0, "%v o %v: %v", a, b, err)
		return false
	}
	require.Equal(t, want, offsets(got), "%v o %v is %v", a, b, got)
	return true
}

// tiling is the shifts under which l's offsets, the smallest of which is 0, cover 0 to n-1: the first offset that is not covered
// can only be covered by a copy that begins there. ok is false if that copy meets another.
func tiling(l Layout, n int) (shifts []int, ok bool) {
	covered := map[int]bool{}
	for next := 0; next < n; next++ {
		if covered[next] {
			continue
		}
		for _, at := range image(l) {
			if covered[next+at] {
				return shifts, false
			}
			covered[next+at] = true
		}
		shifts = append(shifts, next)
	}
	return shifts, true
}

// complementProperty: the complement lists the shifts of the only tiling, in order. It goes on to a whole number of copies; without
// a tiling it stops being one where the tiling ends.
func complementProperty(t *rapid.T) (answered bool) {
	l, n := signed(64).Draw(t, "l"), rapid.IntRange(1, 200).Draw(t, "n")
	got, err := Complement(l, n)
	if err != nil {
		if distinct(offsets(Filter(l))) && slices.Min(offsets(l)) == 0 {
			shifts, ok := tiling(l, Filter(l).Cosize())
			require.False(t, ok, "%v has the shifts %v: %v", l, shifts, err)
		}
		return false
	}
	shifts := offsets(got)
	require.True(t, slices.IsSorted(shifts), "complement %v of %v to %d", got, l, n)
	// A tile that begins well but cannot go on to its end leaves gaps, which Complement names.
	want, ok := tiling(l, max(n, Filter(l).Cosize()))
	if ok {
		want = slices.DeleteFunc(want, func(shift int) bool { return shift >= n })
		require.Equal(t, want, shifts[:min(len(want), len(shifts))], "complement %v of %v to %d", got, l, n)
		require.GreaterOrEqual(t, len(shifts), len(want))
		return true
	}
	covered := map[int]bool{}
	for _, shift := range shifts {
		for _, at := range image(l) {
			require.False(t, covered[at+shift], "complement %v of %v to %d", got, l, n)
			covered[at+shift] = true
		}
	}
	return true
}

// divideProperty: a tile and its rest are the shifts of a tiling of all positions, seen through the layout.
func divideProperty(t *rapid.T) (answered bool) {
	l, tile := signed(120).Draw(t, "l"), layouts(12).Draw(t, "tile")
	n := l.Size()
	shifts, tiles := tiling(tile, n)
	got, err := LogicalDivide(l, tile)
	if err != nil {
		// A tile of which one copy is enough must have a complement all the same.
		if _, nests := tiling(tile, tile.Cosize()); !tiles || !nests || !distinct(offsets(Filter(tile))) {
			return false
		}
		var want []int
		for _, shift := range shifts {
			for _, at := range offsets(tile) {
				want = append(want, offset(l, at+shift))
			}
		}
		rest, shiftsHaveLayout := layoutOf(Int(len(shifts)), func(j int) int { return shifts[j] })
		if !shiftsHaveLayout {
			return false
		}
		both, err2 := Concat(tile, rest)
		require.NoError(t, err2)
		require.GreaterOrEqual(t, refusalOf(both.Shape(), want), 0, "%v by %v: %v", l, tile, err)
		return false
	}
	require.True(t, tiles, "%v by %v is %v, but no shifts of the tile cover it", l, tile, got)
	require.Equal(t, 2, got.Rank())
	require.Equal(t, tile.Size(), got.Mode(0).Size())
	at := offsetOf(l)
	var want []int
	for _, shift := range shifts {
		for _, begin := range offsets(tile) {
			want = append(want, at(begin+shift))
		}
	}
	require.Equal(t, want, offsets(got)[:len(want)], "%v by %v is %v", l, tile, got)
	zipped, err := ZippedDivide(l, tile)
	require.NoError(t, err)
	require.True(t, zipped.Equal(got))
	return true
}

// extents draws a tuple of one integer for each mode of the sizes.
func extents(sizes []Layout, most int) *rapid.Generator[Tuple] {
	return rapid.Custom(func(t *rapid.T) Tuple {
		ns := make([]int, len(sizes))
		for i, m := range sizes {
			ns[i] = rapid.IntRange(1, min(most, m.Size())).Draw(t, "n")
		}
		return Ints(ns...)
	})
}

// matrixProperty: by a tuple, element i of tile j is at i + n*j in each mode, whichever divide it is.
func matrixProperty(t *rapid.T) (answered bool) {
	l := signed(120).Draw(t, "l")
	l, err := Concat(l.Modes()...)
	require.NoError(t, err)
	tile := extents(l.Modes(), 6).Draw(t, "tile")
	zipped, err := ZippedDivide(l, tile)
	if err != nil {
		for i, m := range l.Modes() {
			if _, err := LogicalDivide(m, tile.Mode(i)); err != nil {
				return false // judged by divideProperty
			}
		}
		require.NoError(t, err)
	}
	logical, err := LogicalDivide(l, tile)
	require.NoError(t, err)
	tiled, err := TiledDivide(l, tile)
	require.NoError(t, err)
	flat, err := FlatDivide(l, tile)
	require.NoError(t, err)
	for i := range zipped.Mode(0).Size() {
		for j := range zipped.Mode(1).Size() {
			inside, outside := topCoord(zipped.Mode(0), i), topCoord(zipped.Mode(1), j)
			want := 0
			both := make([]Tuple, l.Rank())
			for k, m := range l.Modes() {
				n := tile.Mode(k).Value()
				want += offset(m, inside[k].Value()+n*outside[k].Value())
				both[k] = MakeTuple(inside[k], outside[k])
			}
			same(t, "zipped_divide", want, offset(zipped, i+j*zipped.Mode(0).Size()), nil, &l, MakeTuple(both...))
			got, err := logical.Index(MakeTuple(both...))
			same(t, "logical_divide", want, got, err, &l, MakeTuple(both...))
		}
	}
	require.Equal(t, offsets(zipped), offsets(tiled))
	require.Equal(t, offsets(zipped), offsets(flat))
	if l.Rank() > 1 {
		require.Equal(t, []int{1 + l.Rank(), 2 * l.Rank()}, []int{tiled.Rank(), flat.Rank()})
	}
	return true
}

// productProperty: copy j stands at the shift of the block's tiling that the tiler numbers.
func productProperty(t *rapid.T) (answered bool) {
	block, tiler := layouts(24).Draw(t, "block"), layouts(24).Draw(t, "tiler")
	got, err := LogicalProduct(block, tiler)
	shifts, ok := tiling(block, (tiler.Cosize()+1)*Filter(block).Cosize())
	if err != nil {
		if _, err := Complement(block, block.Size()*tiler.Cosize()); ok && err == nil {
			want := offsets(tiler)
			for j, number := range want {
				want[j] = shifts[number]
			}
			require.GreaterOrEqual(t, refusalOf(tiler.Shape(), want), 0, "%v by %v", block, tiler)
		}
		return false
	}
	require.True(t, got.Mode(0).Equal(block))
	require.False(t, distinct(offsets(block)) && distinct(offsets(tiler)) && !distinct(offsets(got)), "%v by %v is %v", block, tiler, got)
	if !ok {
		return false
	}
	for j, number := range offsets(tiler) {
		require.Equal(t, shifts[number], offset(got.Mode(1), j), "%v by %v is %v at copy %d", block, tiler, got, j)
	}
	return true
}

// gridProperty: the products of a block by a tiler of its rank have the same elements under other coordinates.
func gridProperty(t *rapid.T) (answered bool) {
	block, err := Concat(layouts(24).Draw(t, "block").Modes()...)
	require.NoError(t, err)
	tiler, err := Concat(layouts(12).Draw(t, "tiler").Modes()...)
	require.NoError(t, err)
	blocked, err := BlockedProduct(block, tiler)
	if err != nil {
		return false // so is the logical product of the padded two
	}
	raked, err := RakedProduct(block, tiler)
	require.NoError(t, err)
	rank := max(block.Rank(), tiler.Rank())
	if block, err = padded(block, rank); err != nil {
		require.NoError(t, err)
	}
	if tiler, err = padded(tiler, rank); err != nil {
		require.NoError(t, err)
	}
	product, err := LogicalProduct(block, tiler)
	require.NoError(t, err)
	at := offsetOf(product)
	for i := range block.Size() {
		for j := range tiler.Size() {
			b, c := topCoord(block, i), topCoord(tiler, j)
			first, second := make([]Tuple, rank), make([]Tuple, rank)
			for k := range rank {
				first[k], second[k] = MakeTuple(b[k], c[k]), MakeTuple(c[k], b[k])
			}
			want := at(i + j*block.Size())
			got, err := blocked.Index(MakeTuple(first...))
			same(t, "blocked_product", want, got, err, &product, MakeTuple(first...))
			got, err = raked.Index(MakeTuple(second...))
			same(t, "raked_product", want, got, err, &product, MakeTuple(second...))
		}
	}
	for _, gather := range []func(Layout, Tiler) (Layout, error){ZippedProduct, TiledProduct, FlatProduct} {
		gathered, err := gather(block, tiler)
		require.NoError(t, err)
		require.Equal(t, offsets(product), offsets(gathered))
	}
	return true
}

// rightInverseProperty: l(R(i)) = i, and R is whole if l is a bijection onto 0 to n-1.
func rightInverseProperty(t *rapid.T) (answered bool) {
	l := signed(120).Draw(t, "l")
	inverse, err := RightInverse(l)
	require.NoError(t, err)
	for i, at := range offsets(inverse) {
		require.Less(t, at, l.Size())
		require.Equal(t, i, offset(l, at), "%v after its right inverse %v", l, inverse)
	}
	if slices.Equal(image(l), indices(l.Size())) {
		require.Equal(t, l.Size(), inverse.Size(), "%v and its right inverse %v", l, inverse)
	}
	return true
}

// leftInverseProperty: R(l(i)) is the first position with i's offset.
func leftInverseProperty(t *rapid.T) (answered bool) {
	l := layouts(120).Draw(t, "l")
	inverse, err := LeftInverse(l)
	if err != nil {
		require.False(t, slices.Equal(image(l), indices(l.Size())), "%v: %v", l, err)
		return false
	}
	first := map[int]int{}
	for i, at := range offsets(l) {
		if _, ok := first[at]; !ok {
			first[at] = i
		}
		require.Equal(t, first[at], offset(inverse, at), "%v and its left inverse %v at %d", l, inverse, i)
	}
	return true
}

// nullspaceProperty: the positions at 0, in order.
func nullspaceProperty(t *rapid.T) (answered bool) {
	l := signed(120).Draw(t, "l")
	var want []int
	for i, at := range offsets(l) {
		if at == 0 {
			want = append(want, i)
		}
	}
	got, err := Nullspace(l)
	if err != nil {
		first := refusalOf(Int(len(want)), want)
		require.Positive(t, first, "%v: %v", l, err)
		require.ErrorContains(t, err, fmt.Sprintf("zero %d of %d is %s", first, len(want), l.position(want[first])))
		return false
	}
	require.Equal(t, want, offsets(got), "nullspace %v of %v", got, l)
	return true
}

// coordOfProperty: a coordinate with the offset, or there is none.
func coordOfProperty(t *rapid.T) (answered bool) {
	l := signed(100).Draw(t, "l")
	all := image(l)
	for at := all[0] - 2; at <= all[len(all)-1]+2; at++ {
		coord, err := CoordOf(l, at)
		if !slices.Contains(all, at) {
			require.ErrorContains(t, err, "no coordinate has it", "%v at %d", l, at)
			continue
		}
		require.NoError(t, err)
		got, err := l.Index(coord)
		same(t, "index", at, got, err, &l, coord)
		for k, digit := range coord.Leaves() {
			require.False(t, l.leaves()[k].stride == 0 && digit.Value() != 0, "%v at %v", l, coord)
		}
	}
	return true
}

// localTileProperty: tile c of a matrix of coordinates holds n*c to n*c+n-1; one place of each tile is every n-th.
func localTileProperty(t *rapid.T) (answered bool) {
	shape := Ints(rapid.IntRange(1, 20).Draw(t, "rows"), rapid.IntRange(1, 20).Draw(t, "columns"))
	matrix, err := Identity(shape)
	require.NoError(t, err)
	tile := extents(matrix.Modes(), 8).Draw(t, "tile")
	count, err := CeilDiv(shape, tile)
	require.NoError(t, err)
	at, inside := make([]int, 2), make([]int, 2)
	for k := range at {
		at[k] = rapid.IntRange(0, count.Mode(k).Value()-1).Draw(t, "at")
		inside[k] = rapid.IntRange(0, tile.Mode(k).Value()-1).Draw(t, "inside")
	}
	part, origin, err := LocalTile(matrix, tile, Ints(at...))
	require.NoError(t, err)
	outer, first, err := OuterPartition(matrix, tile, Ints(inside...))
	require.NoError(t, err)
	require.Equal(t, []int{tile.Mode(0).Value(), tile.Mode(1).Value()}, []int{part.Mode(0).Size(), part.Mode(1).Size()})
	require.Equal(t, []int{count.Mode(0).Value(), count.Mode(1).Value()}, []int{outer.Mode(0).Size(), outer.Mode(1).Size()})
	for k := range at {
		n := tile.Mode(k).Value()
		require.Equal(t, n*at[k], component(t, origin, k), "tile %v of %v at %v", tile, shape, at)
		require.Equal(t, inside[k], component(t, first, k))
	}
	for _, p := range []struct {
		l    Layout
		step func(k int) int
	}{{part, func(int) int { return 1 }}, {outer, func(k int) int { return tile.Mode(k).Value() }}} {
		for i := range p.l.Size() {
			value, err := p.l.Value(Int(i))
			require.NoError(t, err)
			for k, digit := range topCoord(p.l, i) {
				same(t, "tile", p.step(k)*digit.Value(), component(t, value, k), nil, &p.l, value)
			}
		}
	}
	return true
}

// component is coordinate k of a value, of which trailing zeros may be missing.
func component(t require.TestingT, value Tuple, k int) int {
	if value.IsLeaf() {
		require.Zero(t, value.Value())
		return 0
	}
	if k >= value.Rank() {
		return 0
	}
	return value.Mode(k).Value()
}

// partitionProperty: thread thr(g) holds the values of the grid's place g, in each repetition of the grid over the tile, and each
// element once.
func partitionProperty(t *rapid.T) (answered bool) {
	thr := threadsOf(t)
	val := Ints(rapid.IntRange(1, 2).Draw(t, "v0"), rapid.IntRange(1, 3).Draw(t, "v1"))
	sizes := make([]int, 2)
	for k := range sizes {
		sizes[k] = thr.Mode(k).Size() * val.Mode(k).Value() * rapid.IntRange(1, 2).Draw(t, "times")
	}
	tile, err := Identity(Ints(sizes...))
	require.NoError(t, err)
	tv, err := PartitionTV(tile, thr, val)
	require.NoError(t, err)
	require.Equal(t, tile.Size(), tv.Size())
	held := map[[2]int]bool{}
	for g := range thr.Size() {
		for v := range tv.Mode(1).Size() {
			for r := range tv.Mode(2).Size() {
				value, err := tv.Value(Ints(thr.At(g), v, r))
				require.NoError(t, err)
				held[[2]int{component(t, value, 0), component(t, value, 1)}] = true
				grid, values, rest := topCoord(thr, g), topCoord(tv.Mode(1), v), topCoord(tv.Mode(2), r)
				for k := range 2 {
					n := val.Mode(k).Value()
					want := values[k].Value() + n*(grid[k].Value()+thr.Mode(k).Size()*rest[k].Value())
					same(t, "partition by threads and values", want, component(t, value, k), nil, &tv, value)
				}
			}
		}
	}
	require.Len(t, held, tile.Size())

	byOne, err := LocalPartition(tile, thr)
	require.NoError(t, err)
	for g := range thr.Size() {
		for r := range byOne.Mode(1).Size() {
			value, err := byOne.Value(Ints(thr.At(g), r))
			require.NoError(t, err)
			grid, rest := topCoord(thr, g), topCoord(byOne.Mode(1), r)
			for k := range 2 {
				same(t, "partition by threads", grid[k].Value()+thr.Mode(k).Size()*rest[k].Value(), component(t, value, k), nil, &byOne, value)
			}
		}
	}
	return true
}

// projectionProperty: by a projection, the place of a thread counts in the modes that are kept only: the grid of these is dealt out,
// and threads that differ in the others hold the same.
func projectionProperty(t *rapid.T) (answered bool) {
	left := 12
	shape := MakeTuple(drawShape(t, 1, &left), drawShape(t, 1, &left), drawShape(t, 1, &left))
	order := rapid.Permutation(indices(len(shape.Leaves()))).Draw(t, "order")
	thr, err := Ordered(shape, unflatten(Ints(order...).elems, shape))
	require.NoError(t, err)
	proj := []Tuple{Int(1), Int(1), Int(1)}
	dropped := rapid.IntRange(0, 2).Draw(t, "dropped")
	proj[dropped] = Underscore
	kept := slices.Delete(indices(3), dropped, dropped+1)
	grid, sizes := make([]int, 2), make([]Tuple, 2)
	val := Ints(rapid.IntRange(1, 2).Draw(t, "v0"), rapid.IntRange(1, 3).Draw(t, "v1"))
	for k := range sizes {
		grid[k] = thr.Mode(kept[k]).Size()
		sizes[k] = Int(grid[k] * val.Mode(k).Value() * rapid.IntRange(1, 2).Draw(t, "times"))
	}
	tile, err := Identity(MakeTuple(sizes...))
	require.NoError(t, err)
	tv, err := PartitionTVProj(tile, thr, val, MakeTuple(proj...))
	require.NoError(t, err)
	byOne, err := LocalPartitionProj(tile, thr, MakeTuple(proj...))
	require.NoError(t, err)
	for position := range thr.Size() {
		place := topCoord(thr, position)
		for v := range tv.Mode(1).Size() {
			for r := range tv.Mode(2).Size() {
				value, err := tv.Value(Ints(thr.At(position), v, r))
				require.NoError(t, err)
				values, rest := topCoord(tv.Mode(1), v), topCoord(tv.Mode(2), r)
				for k := range 2 {
					want := values[k].Value() + val.Mode(k).Value()*(place[kept[k]].Value()+grid[k]*rest[k].Value())
					same(t, "projection", want, component(t, value, k), nil, &tv, value)
				}
			}
		}
		for r := range byOne.Mode(1).Size() {
			value, err := byOne.Value(Ints(thr.At(position), r))
			require.NoError(t, err)
			rest := topCoord(byOne.Mode(1), r)
			for k := range 2 {
				same(t, "projection", place[kept[k]].Value()+grid[k]*rest[k].Value(), component(t, value, k), nil, &byOne, value)
			}
		}
	}
	return true
}

// tilerProperty: by a tuple, each mode is composed with its tiler; _ keeps a mode, and those that the tuple does not name are dropped.
func tilerProperty(t *rapid.T) (answered bool) {
	l := signed(100).Draw(t, "l")
	l, err := Concat(l.Modes()...)
	require.NoError(t, err)
	var tile Tile
	modes := make([]Layout, rapid.IntRange(1, l.Rank()).Draw(t, "named"))
	for i := range modes {
		modes[i] = l.Mode(i)
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			tile = append(tile, Underscore)
			continue
		case 1:
			n := rapid.IntRange(1, 8).Draw(t, "n")
			tile = append(tile, Int(n))
			modes[i], err = Composition(l.Mode(i), newLayout(leafProfile, []mode{{shape: n, stride: 1}}))
		default:
			by := layouts(8).Draw(t, "by")
			tile = append(tile, by)
			modes[i], err = Composition(l.Mode(i), by)
		}
		if err != nil {
			_, err := CompositionTiler(l, tile)
			require.Error(t, err, "%v by %v", l, tile)
			return false
		}
	}
	got, err := CompositionTiler(l, tile)
	require.NoError(t, err)
	want, err := Concat(modes...)
	require.NoError(t, err)
	require.Equal(t, want.String(), got.String(), "%v by %v", l, tile)
	return true
}

// threadsOf draws a bijection from a matrix of threads to their numbers.
func threadsOf(t *rapid.T) Layout {
	left := 12
	shape := MakeTuple(drawShape(t, 1, &left), drawShape(t, 1, &left))
	order := rapid.Permutation(indices(len(shape.Leaves()))).Draw(t, "order")
	thr, err := Ordered(shape, unflatten(Ints(order...).elems, shape))
	require.NoError(t, err)
	return thr
}

// compactProperty: the offsets are 0 to n-1, each once; of two modes the one that comes first in the order steps less.
func compactProperty(t *rapid.T) (answered bool) {
	shape := shapes(4, 200).Draw(t, "shape")
	leaves := shape.Leaves()
	order := rapid.Permutation(indices(len(leaves))).Draw(t, "order")
	ordered, err := Ordered(shape, unflatten(Ints(order...).elems, shape))
	require.NoError(t, err)
	col, err := ColMajor(shape)
	require.NoError(t, err)
	row, err := RowMajor(shape)
	require.NoError(t, err)
	last := len(leaves) - 1
	for _, c := range []struct {
		l     Layout
		place func(k int) int
	}{{ordered, func(k int) int { return order[k] }}, {col, func(k int) int { return k }}, {row, func(k int) int { return last - k }}} {
		require.Equal(t, indices(c.l.Size()), image(c.l), c.l)
		require.True(t, c.l.Shape().Equal(shape))
		for j, m := range c.l.leaves() {
			for k, o := range c.l.leaves() {
				if m.shape > 1 && o.shape > 1 && c.place(j) < c.place(k) && m.stride >= o.stride {
					t.Fatalf("%v: leaf %d is to step less than leaf %d", c.l, j, k)
				}
			}
		}
	}
	require.Equal(t, indices(col.Size()), offsets(col))
	prefix, err := PrefixProduct(shape, 1)
	require.NoError(t, err)
	product := 1
	for k, n := range prefix.Leaves() {
		require.Equal(t, product, n.Value(), "%v of %v", prefix, shape)
		product *= leaves[k].Value()
	}
	identity, err := Identity(shape)
	require.NoError(t, err)
	for i := range identity.Size() {
		value, err := identity.Value(Int(i))
		require.NoError(t, err)
		if coord := identity.Coord(i); coord.String() != value.String() {
			t.Fatalf("%v at %v is %v", identity, coord, value)
		}
	}
	return true
}

// arithmeticProperty: leaf by leaf where the profiles are one; an integer is handed from mode to mode.
func arithmeticProperty(t *rapid.T) (answered bool) {
	a := shapes(3, 5000).Draw(t, "a")
	left := 5000
	b := a.mapLeaves(func(Tuple) Tuple {
		n := min(left, rapid.IntRange(1, 9).Draw(t, "b"))
		left /= n
		return Int(n)
	})
	ceiled, err := CeilDiv(a, b)
	require.NoError(t, err)
	rounded, err := RoundUp(a, b)
	require.NoError(t, err)
	scaled, err := ElemScale(a, b)
	require.NoError(t, err)
	inner, err := InnerProduct(a, b)
	require.NoError(t, err)
	sum, inside := 0, true
	for k, n := range a.Leaves() {
		d := b.Leaves()[k].Value()
		least := 0
		for least*d < n.Value() {
			least++
		}
		require.Equal(t, least, ceiled.Leaves()[k].Value(), "%v by %v", a, b)
		require.Equal(t, least*d, rounded.Leaves()[k].Value(), "%v to %v", a, b)
		require.Equal(t, n.Value()*d, scaled.Leaves()[k].Value(), "%v by %v", a, b)
		sum += n.Value() * d
		inside = inside && n.Value() < d
	}
	require.Equal(t, sum, inner)
	less, err := ElemLess(a, b)
	require.NoError(t, err)
	require.Equal(t, inside, less)
	require.True(t, Congruent(a, b) && WeaklyCongruent(a, b))

	// a's size by a's profile: the shape is compatible with its size, and divided by all of it nothing is left.
	size, err := Product(a)
	require.NoError(t, err)
	require.True(t, Compatible(Int(size), a))
	require.Equal(t, a.IsLeaf(), Compatible(a, Int(size)))
	rest, err := ShapeDiv(a, Int(size))
	require.NoError(t, err)
	one, err := Product(rest)
	require.NoError(t, err)
	require.Equal(t, 1, one, "%v by its size", a)

	// Coordinates of one shape as coordinates of another: the position stays.
	i := rapid.IntRange(0, size-1).Draw(t, "i")
	col, err := ColMajor(a)
	require.NoError(t, err)
	crd, err := Crd2Crd(col.Coord(i), a, Int(size))
	require.NoError(t, err)
	require.Equal(t, Int(i).String(), crd.String())
	back, err := Crd2Crd(crd, Int(size), a)
	require.NoError(t, err)
	require.Equal(t, col.Coord(i).String(), back.String())
	return true
}

// dotProperty: coordinates times the leading dimensions are offsets; the components are the coordinates.
func dotProperty(t *rapid.T) (answered bool) {
	shape := shapes(2, 60).Draw(t, "shape")
	strides := make([]Tuple, len(shape.Leaves()))
	for k := range strides {
		strides[k] = Basis(rapid.IntRange(-2, 4).Draw(t, "step"), rapid.IntRange(0, 2).Draw(t, "mode"))
	}
	l, err := MakeLayout(shape, unflatten(strides, shape))
	require.NoError(t, err)
	ld := []int{rapid.IntRange(-9, 99).Draw(t, "d0"), rapid.IntRange(-9, 99).Draw(t, "d1"), rapid.IntRange(-9, 99).Draw(t, "d2")}
	dot, err := Dot(l, ld...)
	require.NoError(t, err)
	parts := make([]Layout, len(ld))
	for k := range ld {
		parts[k], err = l.Component(k)
		require.NoError(t, err)
	}
	for i := range l.Size() {
		value, err := l.Value(Int(i))
		require.NoError(t, err)
		sum := 0
		for k, d := range ld {
			same(t, "component", component(t, value, k), offset(parts[k], i), nil, &parts[k], value)
			sum += d * component(t, value, k)
		}
		same(t, "dot", sum, offset(dot, i), nil, &l, value)
	}
	return true
}
