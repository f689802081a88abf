package dynamic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cutegen/algebra"
)

// The definitions by brute force: random layouts with symbols, random values for them, and every position of the domain.

// values are those of the symbols.
type values map[string]int

// of evaluates an expression by its terms, without With.
func (v values) of(a Int) int {
	sum := 0
	for _, t := range a.terms {
		product := t.coef
		for _, p := range t.mono {
			n, ok := v[p.of.text]
			if !ok {
				den := v.of(p.of.den)
				n = (v.of(p.of.num) + den - 1) / den
			}
			for range p.n {
				product *= n
			}
		}
		sum += product
	}
	return sum
}

// layout is l with the values; With must say the same.
func (v values) layout(t *testing.T, l Layout) algebra.Layout {
	t.Helper()
	shapes, strides := make([]algebra.Tuple, len(l.modes)), make([]algebra.Tuple, len(l.modes))
	for i, m := range l.modes {
		shapes[i], strides[i] = algebra.Int(v.of(m.shape)), algebra.Basis(v.of(m.stride), m.path...)
	}
	s, err := algebra.MakeLayout(filled(l.profile, shapes), filled(l.profile, strides))
	require.NoError(t, err)
	with, err := l.With(v.ints())
	require.NoError(t, err)
	static, err := with.Static()
	require.NoError(t, err)
	require.Equal(t, s.String(), static.String(), "%v with %v", l, v)
	return s
}

func (v values) ints() map[string]Int {
	ints := map[string]Int{}
	for name, n := range v {
		ints[name] = Const(n)
	}
	return ints
}

func (v values) tiler(t *testing.T, tiler Tiler) algebra.Tiler {
	switch {
	case tiler.Hole:
		return algebra.Underscore
	case tiler.Layout != nil:
		return v.layout(t, *tiler.Layout)
	}
	modes := make(algebra.Tile, len(tiler.Modes))
	for i, m := range tiler.Modes {
		modes[i] = v.tiler(t, m)
	}
	return modes
}

func (v values) coord(c Coord) algebra.Tuple {
	switch {
	case c.Hole:
		return algebra.Underscore
	case c.Modes == nil:
		return algebra.Int(v.of(c.Value))
	}
	modes := make([]algebra.Tuple, len(c.Modes))
	for i, m := range c.Modes {
		modes[i] = v.coord(m)
	}
	return algebra.MakeTuple(modes...)
}

// value is what l gives at a position, by basis element: colexicographic digits times strides, the last digit unbounded.
func value(l algebra.Layout, position int) map[string]int {
	sum := map[string]int{}
	shapes, strides := l.Shape().Leaves(), l.Stride().Leaves()
	for k := range shapes {
		digit := position
		if k < len(shapes)-1 {
			digit, position = position%shapes[k].Value(), position/shapes[k].Value()
		}
		if n := digit * strides[k].Value(); n != 0 {
			sum[fmt.Sprint(strides[k].BasisPath())] += n
		}
	}
	for path, n := range sum {
		if n == 0 {
			delete(sum, path)
		}
	}
	return sum
}

// offset is value for plain strides.
func offset(l algebra.Layout, position int) int { return value(l, position)["[]"] }

// first bounds how many positions of a layout are looked at.
func first(l algebra.Layout) int { return min(l.Size(), 72) }

// large bounds the domains that are looked at as a whole.
const large = 2000

func composed(a, b algebra.Layout, i int) map[string]int {
	sum := map[string]int{}
	for path, n := range value(b, i) {
		sub := a
		for _, p := range strings.Fields(strings.Trim(path, "[]")) {
			k, _ := strconv.Atoi(p)
			sub = sub.Mode(k)
		}
		for to, m := range value(sub, n) {
			if sum[to] += m; sum[to] == 0 {
				delete(sum, to)
			}
		}
	}
	return sum
}

// source makes random layouts and values.
type source struct{ *rand.Rand }

var names = []string{"K", "M", "N", "k", "lda", "m", "n"}

func (r source) pick(texts ...string) string { return texts[r.IntN(len(texts))] }

func (r source) values() values {
	v := values{}
	for _, name := range append(slices.Clone(names), "i", "j") {
		v[name] = 1 + r.IntN(1+r.IntN(5))
	}
	return v
}

func (r source) extent() string {
	s := names[r.IntN(len(names))]
	switch r.IntN(9) {
	case 0, 1, 2:
		return r.pick("1", "2", "3", "4", "6", "8")
	case 3, 4:
		return s
	case 5, 6:
		return r.pick("2", "3", "4", "8") + "*" + s
	case 7:
		return s + "*" + names[r.IntN(len(names))]
	}
	return r.pick("ceil("+s+"/4)", "ceil("+s+"/"+names[r.IntN(len(names))]+")", s+"+1", "2*"+s+"-1")
}

// layout makes a layout of 1 to 3 modes, some nested, with strides of several kinds.
func (r source) layout(t *testing.T, compactOnly bool) Layout {
	t.Helper()
	var extents []string
	profile := ""
	rank := 1 + r.IntN(3)
	for i := range rank {
		if i > 0 {
			profile += ","
		}
		if r.IntN(4) == 0 {
			profile += "(#,#)"
			extents = append(extents, r.extent(), r.extent())
		} else {
			profile += "#"
			extents = append(extents, r.extent())
		}
	}
	if rank > 1 || r.IntN(3) == 0 {
		profile = "(" + profile + ")"
	}
	strides := make([]string, len(extents))
	order := r.Perm(len(extents))
	if r.IntN(2) == 0 {
		slices.Sort(order)
	}
	kind := r.IntN(6)
	if compactOnly {
		kind = 0
	}
	next := "1"
	for _, i := range order {
		strides[i] = next
		switch kind {
		case 0, 1:
			next = "(" + extents[i] + ")*" + strings.TrimPrefix(next, "1*")
		case 2: // padded
			next = r.pick("1", "1", "2", "lda") + "*(" + extents[i] + ")*" + next
		case 3:
			strides[i] = r.pick("0", "1", "2", "3", "12", "-1", "lda", "M*K", "-2*lda")
		case 4:
			strides[i] = r.pick("0", "1", next)
			next = "(" + extents[i] + ")*" + next
		default:
			strides[i] = fmt.Sprintf("%s@%d", r.pick("1", "2", "lda"), i)
		}
		strides[i] = "1*" + strides[i]
	}
	text := fill(profile, extents) + ":" + fill(profile, strides)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "1*-", "-"), "1*0", "0")
	l, err := Parse(text)
	require.NoError(t, err, text)
	again, err := Parse(l.String())
	require.NoError(t, err, "%s prints as %v", text, l)
	require.True(t, again.Equal(l), "%v and %v", l, again)
	return l
}

func fill(profile string, leaves []string) string {
	for _, leaf := range leaves {
		profile = strings.Replace(profile, "#", leaf, 1)
	}
	return profile
}

// part makes a layout into the positions of a: some of its modes in another order, cut or not, or any.
func (r source) part(t *testing.T, a Layout) Layout {
	t.Helper()
	if r.IntN(4) == 0 {
		return r.layout(t, false)
	}
	compact, err := ColMajor(a.Shape())
	if err != nil {
		return r.layout(t, false)
	}
	modes := slices.Clone(compact.modes)
	r.Shuffle(len(modes), func(i, j int) { modes[i], modes[j] = modes[j], modes[i] })
	modes = modes[:1+r.IntN(len(modes))]
	for i := range modes {
		switch r.IntN(5) {
		case 0:
			if q, ok := modes[i].shape.over(Const(2)); ok {
				modes[i] = mode{shape: q, stride: Mul(Const(2), modes[i].stride)}
			}
		case 1:
			if q, ok := modes[i].shape.over(Const(2)); ok {
				modes[i].shape = q
			}
		case 2:
			modes[i].stride = Int{}
		}
	}
	if r.IntN(6) == 0 {
		for i := range modes {
			modes[i].stride = Neg(modes[i].stride)
		}
	}
	l, err := flat(modes)
	require.NoError(t, err)
	return l
}

// tiler makes a tiler of at most l's rank.
func (r source) tiler(t *testing.T, l Layout) Tiler {
	t.Helper()
	texts := make([]string, 1+r.IntN(l.Rank()))
	for i := range texts {
		texts[i] = r.pick("1", "2", "4", "8", "m", "4*n", "4:1", "2:2", "(2,2):(1,4)", "(2,m):(1,2)", l.Mode(i).Size().String())
	}
	text := "(" + strings.Join(texts, ",") + ")"
	if r.IntN(4) == 0 {
		text = texts[0]
	}
	tiler, err := ParseTiler(text)
	require.NoError(t, err, text)
	again, err := ParseTiler(tiler.String())
	require.NoError(t, err)
	require.Equal(t, tiler.String(), again.String())
	return tiler
}

// operations are tested alike: run makes arguments and the answer, with what checks it for some values.
var operations = []operationTest{
	{"composition", 66, func(t *testing.T, r source) (string, func(values), error) {
		a := r.layout(t, false)
		b := r.part(t, a)
		c, err := Composition(a, b)
		return fmt.Sprintf("%v o %v = %v", a, b, c), func(v values) {
			left, right, got := v.layout(t, a), v.layout(t, b), v.layout(t, c)
			require.True(t, algebra.Compatible(right.Shape(), got.Shape()))
			for i := range first(right) {
				require.Equal(t, composed(left, right, i), value(got, i), "at %d with %v", i, v)
			}
		}, err
	}},
	{"coalesce", 100, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		c, err := Coalesce(l)
		return fmt.Sprintf("coalesce %v = %v", l, c), func(v values) {
			require.LessOrEqual(t, c.Depth(), 1)
			requireSame(t, v.layout(t, l), v.layout(t, c))
		}, err
	}},
	{"filter", 100, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		f, err := Filter(l)
		return fmt.Sprintf("filter %v = %v", l, f), func(v values) {
			requireSame(t, algebra.Filter(v.layout(t, l)), v.layout(t, f))
		}, err
	}},
	{"complement", 46, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		cotarget, err := ParseInt(r.extent() + "*" + r.extent())
		require.NoError(t, err)
		c, err := Complement(l, cotarget)
		return fmt.Sprintf("complement of %v to %v = %v", l, cotarget, c), func(v values) {
			requireComplement(t, v.layout(t, l), v.of(cotarget), v.layout(t, c))
		}, err
	}},
	{"right_inverse", 66, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		inverse, err := RightInverse(l)
		return fmt.Sprintf("right inverse of %v = %v", l, inverse), func(v values) {
			left, got := v.layout(t, l), v.layout(t, inverse)
			for i := range first(got) {
				require.Less(t, offset(got, i), left.Size())
				require.Equal(t, i, offset(left, offset(got, i)), v)
			}
		}, err
	}},
	{"left_inverse", 46, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		inverse, err := LeftInverse(l)
		return fmt.Sprintf("left inverse of %v = %v", l, inverse), func(v values) {
			right, got := v.layout(t, l), v.layout(t, inverse)
			still := slices.ContainsFunc(l.modes, func(m mode) bool { return m.stride.is(0) })
			for i := range first(right) {
				at := offset(got, offset(right, i))
				if !still {
					require.Equal(t, i, at, v)
				}
				require.Equal(t, offset(right, i), offset(right, at), v)
			}
		}, err
	}},
	byTiler("logical_divide", 53, LogicalDivide, algebra.LogicalDivide),
	byTiler("zipped_divide", 53, ZippedDivide, algebra.ZippedDivide),
	byTiler("tiled_divide", 53, TiledDivide, algebra.TiledDivide),
	byTiler("flat_divide", 53, FlatDivide, algebra.FlatDivide),
	byTiler("composition by tiler", 53, CompositionTiler, algebra.CompositionTiler),
	byTiler("logical_product", 33, LogicalProduct, algebra.LogicalProduct),
	byTiler("zipped_product", 33, ZippedProduct, algebra.ZippedProduct),
	byTiler("tiled_product", 33, TiledProduct, algebra.TiledProduct),
	byTiler("flat_product", 33, FlatProduct, algebra.FlatProduct),
	byLayout("blocked_product", 20, BlockedProduct, algebra.BlockedProduct),
	byLayout("raked_product", 20, RakedProduct, algebra.RakedProduct),
	{"tile_to_shape", 66, func(t *testing.T, r source) (string, func(values), error) {
		block := r.layout(t, true)
		sizes, extents := block.Shape().each(), []string{}
		order := make([]algebra.Tuple, len(sizes))
		for i, place := range r.Perm(len(sizes)) {
			extents = append(extents, Mul(sizes[i], ofVariable(&variable{text: names[r.IntN(len(names))]})).String())
			order[i] = algebra.Int(place)
		}
		shape, err := ParseShape("(" + strings.Join(extents, ",") + ")")
		require.NoError(t, err)
		tiled, err := TileToShapeOrder(block, shape, algebra.MakeTuple(order...))
		return fmt.Sprintf("tile %v to %v = %v", block, shape, tiled), func(v values) {
			l, err := ColMajor(shape)
			require.NoError(t, err)
			if v.of(l.Size()) > large {
				return
			}
			want, err := algebra.TileToShapeOrder(v.layout(t, block), v.layout(t, l).Shape(), algebra.MakeTuple(order...))
			require.NoError(t, err)
			requireModes(t, want, v.layout(t, tiled))
		}, err
	}},
	{"slice", 33, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		texts := make([]string, l.Rank())
		for i := range texts {
			texts[i] = r.pick("_", "0", "1", "i", "j", "m-1", "2*i+1", "M", l.Mode(i).Size().String()+"-1")
		}
		c, err := ParseCoord("(" + strings.Join(texts, ",") + ")")
		require.NoError(t, err)
		part, at, err := Slice(l, c)
		return fmt.Sprintf("slice %v by %v = %v at %v", l, c, part, at), func(v values) {
			v["i"], v["j"] = v["i"]-1, v["j"]-1
			want, offset, err := algebra.Slice(v.layout0(t, l), v.coord(c))
			if err != nil {
				require.ErrorContains(t, err, "allowed is 0 to", v) // the coordinate is outside with these values
				return
			}
			require.Equal(t, want.String(), v.layout0(t, part).String())
			require.Equal(t, offset.String(), v.coord(at).String(), v)
		}, err
	}},
	{"local_partition", 33, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		thr := algebra.MustLayout(r.pick("(2):(1)", "(4):(1)", "(2,4):(4,1)", "(4,2):(1,4)", "((2,2),2):((1,4),2)"))
		part, err := LocalPartition(l, thr)
		return fmt.Sprintf("local partition of %v by %v = %v", l, thr, part), func(v values) {
			if v.of(l.Size()) > large {
				return
			}
			want, err := algebra.LocalPartition(v.layout(t, l), thr)
			require.NoError(t, err)
			requireModes(t, want, v.layout(t, part))
		}, err
	}},
	{"upcast", 20, func(t *testing.T, r source) (string, func(values), error) {
		l, n := r.layout(t, false), 1+r.IntN(4)
		words, err := Upcast(l, n)
		return fmt.Sprintf("upcast of %v by %d = %v", l, n, words), func(v values) {
			want, err := algebra.Upcast(v.layout(t, l), n)
			require.NoError(t, err)
			requireModes(t, want, v.layout(t, words))
		}, err
	}},
	{"downcast", 20, func(t *testing.T, r source) (string, func(values), error) {
		l, n := r.layout(t, false), 1+r.IntN(4)
		parts, err := Downcast(l, n)
		return fmt.Sprintf("downcast of %v by %d = %v", l, n, parts), func(v values) {
			whole, got := v.layout(t, l), v.layout(t, parts)
			if got.Size() > large {
				return
			}
			want, offsets := map[int]int{}, map[int]int{}
			for i := range whole.Size() {
				for p := range n {
					want[offset(whole, i)*n+p]++
				}
			}
			for i := range got.Size() {
				offsets[offset(got, i)]++
			}
			require.Equal(t, want, offsets, v)
		}, err
	}},
}

// layout0 is layout for values of which some are 0, which only coordinates may have.
func (v values) layout0(t *testing.T, l Layout) algebra.Layout {
	t.Helper()
	sizes := values{}
	for name, n := range v {
		if n > 0 {
			sizes[name] = n
		}
	}
	return sizes.layout(t, l)
}

type operationTest struct {
	name  string
	least int // answers of 100 at least, so that the test means something
	run   func(t *testing.T, r source) (text string, check func(v values), err error)
}

// byTiler compares with package algebra, which is exact, as functions mode by mode.
func byTiler(name string, least int, op func(Layout, Tiler) (Layout, error),
	static func(algebra.Layout, algebra.Tiler) (algebra.Layout, error)) operationTest {
	return operationTest{name, least, func(t *testing.T, r source) (string, func(values), error) {
		l := r.layout(t, false)
		tiler := r.tiler(t, l)
		got, err := op(l, tiler)
		return fmt.Sprintf("%s of %v by %v = %v", name, l, tiler, got), func(v values) {
			left := v.layout(t, l)
			if left.Size() > large {
				return
			}
			want, err := static(left, v.tiler(t, tiler))
			require.NoError(t, err)
			if tiler.Layout == nil {
				requireModes(t, want, v.layout(t, got))
			} else { // a rest may be of fewer modes with these values
				requireSame(t, want, v.layout(t, got))
			}
		}, err
	}}
}

func byLayout(name string, least int, op func(a, b Layout) (Layout, error),
	static func(a, b algebra.Layout) (algebra.Layout, error)) operationTest {
	return operationTest{name, least, func(t *testing.T, r source) (string, func(values), error) {
		a, b := r.layout(t, r.IntN(2) == 0), r.layout(t, r.IntN(2) == 0)
		got, err := op(a, b)
		return fmt.Sprintf("%s of %v and %v = %v", name, a, b, got), func(v values) {
			left, right := v.layout(t, a), v.layout(t, b)
			if left.Size() > large || right.Size() > large {
				return
			}
			want, err := static(left, right)
			require.NoError(t, err)
			requireModes(t, want, v.layout(t, got))
		}, err
	}}
}

// requireModes: the same function, in modes of the same sizes.
func requireModes(t *testing.T, want, got algebra.Layout) {
	t.Helper()
	require.Equal(t, want.Rank(), got.Rank(), "%v and %v", want, got)
	for i, m := range want.Modes() {
		require.Equal(t, m.Size(), got.Mode(i).Size(), "mode %d of %v and %v", i, want, got)
	}
	requireSame(t, want, got)
}

// requireSame: the same function.
func requireSame(t *testing.T, want, got algebra.Layout) {
	t.Helper()
	require.Equal(t, want.Size(), got.Size(), "%v and %v", want, got)
	for i := range first(want) {
		require.Equal(t, value(want, i), value(got, i), "%v and %v at %d", want, got, i)
	}
}

// requireComplement: the shifts are increasing, the shifted images are disjoint, and they cover the cotarget.
func requireComplement(t *testing.T, l algebra.Layout, cotarget int, c algebra.Layout) {
	t.Helper()
	if l.Size() > large || c.Size() > large {
		return
	}
	image := map[int]bool{}
	for i := range l.Size() {
		image[offset(l, i)] = true
	}
	covered := map[int]bool{}
	for j := range c.Size() {
		require.True(t, j == 0 || offset(c, j-1) < offset(c, j))
		for o := range image {
			require.False(t, covered[o+offset(c, j)], "%d is covered twice", o+offset(c, j))
			covered[o+offset(c, j)] = true
		}
	}
	for o := range cotarget {
		require.True(t, covered[o], "%d is not covered", o)
	}
}

// TestDefinitions: whatever values the symbols have, an answer is right by the definition.
func TestDefinitions(t *testing.T) {
	const layouts, bindings = 100, 3
	for _, o := range slices.Concat(operations, arrangements) {
		t.Run(o.name, func(t *testing.T) {
			r := source{rand.New(rand.NewPCG(1, 2))}
			answers := 0
			for range layouts {
				text, check, err := o.run(t, r)
				if err != nil {
					requireRefusal(t, text, err)
					continue
				}
				answers++
				for range bindings {
					v := r.values()
					func() {
						defer func() {
							if t.Failed() {
								t.Logf("%s with %v", text, v)
							}
						}()
						check(v)
					}()
				}
			}
			require.GreaterOrEqual(t, answers, o.least)
		})
	}
}

// requireRefusal: an error says that it depends on the values, or gives the reason for which no values help.
func requireRefusal(t *testing.T, text string, err error) {
	t.Helper()
	if errors.Is(err, ErrUndecided) {
		require.Regexp(t, "whether .* depends on the values of the symbols; (write|give) ", err.Error())
		return
	}
	require.Regexp(t, "allowed|has no layout|no shifts|meet|interleave|more than 64 terms|does not begin|do not divide|left side has no mode|may leave", err.Error(), text)
}
