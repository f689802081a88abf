package algebra

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func swizzleOf(t *testing.T, text string) Swizzle {
	t.Helper()
	s, err := ParseSwizzle(text)
	require.NoError(t, err)
	return s
}

// swizzledOffsets is the definition of a swizzled layout.
func swizzledOffsets(c Composed) []int {
	values := offsets(c.Layout)
	for i, v := range values {
		values[i] = swizzled(c.Swizzle, c.Offset+v)
	}
	return values
}

// swizzlesOf lists the swizzles of the first 14 bits that take from[i] to to[i].
func swizzlesOf(from, to []int) []Swizzle {
	var all []Swizzle
	for n := range 6 {
		for base := 0; base+2*n <= 14; base++ {
			for shift := n; base+n+shift <= 14; shift++ {
				for _, s := range []Swizzle{{n, base, shift}, {n, base, -shift}} {
					same := true
					for i := 0; same && i < len(from); i++ {
						same = s.Apply(from[i]) == to[i]
					}
					if same {
						all = append(all, s)
					}
				}
			}
		}
	}
	return all
}

func requireSwizzledRightInverse(t require.TestingT, c, r Composed) {
	for i, at := range swizzledOffsets(r) {
		require.Less(t, at, c.Size())
		require.Equal(t, i, swizzled(c.Swizzle, offset(c.Layout, at)), "%v after its right inverse %v", c, r)
	}
}

func requireSwizzledLeftInverse(t *testing.T, c, r Composed) {
	t.Helper()
	first := map[int]int{}
	for i, at := range swizzledOffsets(c) {
		if _, ok := first[at]; !ok {
			first[at] = i
		}
		require.Equal(t, first[at], swizzled(r.Swizzle, offset(r.Layout, at)), "%v and its left inverse %v at %d", c, r, i)
	}
}

// randomSwizzled is a swizzled layout of powers of two, compact in some order or with gaps.
func randomSwizzled(r *rand.Rand) Composed {
	shape, stride := make([]Tuple, 3), make([]Tuple, 3)
	step := 1 << r.IntN(2)
	for _, k := range r.Perm(3) {
		n := 1 << (1 + r.IntN(3))
		shape[k], stride[k] = Int(n), Int(step)
		step *= n << (r.IntN(5) / 4)
	}
	l, err := MakeLayout(MakeTuple(shape...), MakeTuple(stride...))
	if err != nil {
		panic(err)
	}
	return Composed{Swizzle: randomSwizzle(r), Layout: l}
}

func TestMakeSwizzle(t *testing.T) {
	for _, c := range []struct {
		y, z int
		want string
	}{
		{0b11000000, 0b00000110, "Sw<2,1,5>"},
		{0b1000, 0b0100, "Sw<1,2,1>"},
		{0b0110, 0b11000000, "Sw<2,1,-5>"},
		{0, 0, "Sw<0,0,0>"},
		{0b11000, 0b100, "swizzle of the bits 0b11000 into 0b100: 2 and 1 bits, allowed are equally many"},
		{0b101000, 0b11, "allowed is one run of bits in each"},
		{0b110, 0b11, "the fields overlap"},
		{-1, 1, "allowed are masks of at least 0"},
		{8, 0, "1 and 0 bits"},
	} {
		got, err := MakeSwizzle(c.y, c.z)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, got.String())
	}
}

// TestSwizzleCompose: given exactly if some swizzle does both.
func TestSwizzleCompose(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	var x []int
	for i := range 14 {
		x = append(x, 1<<i)
	}
	accepted := 0
	for range 1000 {
		s, u := randomSwizzle(r), randomSwizzle(r)
		to := make([]int, len(x))
		for i := range x {
			to[i] = swizzled(s, swizzled(u, x[i]))
		}
		both, err := s.Compose(u)
		if err != nil {
			require.Empty(t, swizzlesOf(x, to), "%v o %v: %v", s, u, err)
			continue
		}
		accepted++
		for i := range 1 << 10 {
			require.Equal(t, s.Apply(u.Apply(i)), both.Apply(i), "%v o %v at %d", s, u, i)
		}
	}
	require.Greater(t, accepted, 100)
	both, err := swizzleOf(t, "Sw<2,4,3>").Compose(swizzleOf(t, "Sw<1,6,3>"))
	require.NoError(t, err)
	require.Equal(t, "Sw<3,4,3>", both.String())
	_, err = swizzleOf(t, "Sw<1,0,1>").Compose(swizzleOf(t, "Sw<1,1,1>"))
	require.ErrorContains(t, err, "composition Sw<1,0,1> o Sw<1,1,1>: ")
}

// TestCompositionSwizzle: given exactly if some swizzle of the layout's offsets does it.
func TestCompositionSwizzle(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	accepted := 0
	for range 1000 {
		c := randomSwizzled(r)
		l, s := c.Layout, c.Swizzle
		var to []int
		for i := range l.Size() {
			to = append(to, offset(l, swizzled(s, i)))
		}
		got, err := CompositionSwizzle(l, s)
		if err != nil {
			require.Empty(t, swizzlesOf(offsets(l), to), "%v o %v: %v", l, s, err)
			continue
		}
		accepted++
		require.Equal(t, to, swizzledOffsets(got), "%v o %v is %v", l, s, got)
	}
	require.Greater(t, accepted, 300)
	got, err := CompositionSwizzle(layout(t, "(4,4):(4,1)"), swizzleOf(t, "Sw<1,0,2>"))
	require.NoError(t, err)
	require.Equal(t, "Sw<1,0,-2> o 0 o (4,4):(4,1)", got.String())
	for l, why := range map[string]string{
		"(3,6):(6,1)":         "composition (3,6):(6,1) o Sw<1,0,2> over (3,6):(6,1): ",
		"(1024,512):(1,1024)": "size 524288, allowed is at most 262144",
		"16:1@0":              "values are coordinates",
	} {
		_, err = CompositionSwizzle(layout(t, l), swizzleOf(t, "Sw<1,0,2>"))
		require.ErrorContains(t, err, why)
	}
	_, err = CompositionSwizzle(layout(t, "8:1"), Swizzle{2, 0, 1})
	require.ErrorContains(t, err, "the fields overlap")
}

func TestCompositionSwizzled(t *testing.T) {
	got, err := CompositionSwizzled(layout(t, "(8,8):(8,1)"), composedLayout(t, "Sw<2,0,-3> o 0 o (8,8):(8,1)"))
	require.NoError(t, err)
	require.Equal(t, "Sw<2,0,3> o 0 o (8,8):(1,8)", got.String())
	r := rand.New(rand.NewPCG(65, 66))
	accepted := 0
	for range 500 {
		c := randomSwizzled(r)
		l := randomSwizzled(r).Layout
		got, err := CompositionSwizzled(l, c)
		if err != nil {
			continue
		}
		accepted++
		for i, at := range swizzledOffsets(c) {
			require.Equal(t, offset(l, at), got.At(i), "%v o %v is %v at %d", l, c, got, i)
		}
	}
	require.Greater(t, accepted, 50)
	_, err = CompositionSwizzled(layout(t, "8:1"), composedLayout(t, "Sw<1,0,2> o 4 o 4:1"))
	require.ErrorContains(t, err, "offset 4, allowed is 0")
	_, err = CompositionSwizzled(layout(t, "(4,8):(1,5)"), composedLayout(t, "Sw<1,0,2> o 0 o 6:1"))
	require.ErrorContains(t, err, "has no layout")
}

// TestSwizzledInverses: right where given. judgeSwizzled tries every swizzle where one of the vectors is refused.
func TestSwizzledInverses(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	rights, lefts := 0, 0
	for range 1000 {
		c := randomSwizzled(r)
		right, err := c.RightInverse()
		if err == nil {
			requireSwizzledRightInverse(t, c, right)
			rights++
		}
		left, err := c.LeftInverse()
		if err == nil {
			requireSwizzledLeftInverse(t, c, left)
			lefts++
		}
	}
	require.Greater(t, rights, 300)
	require.Greater(t, lefts, 300)
	// The swizzle reads bit 7, which no offset below 128 has: CuTe C++ answers wrongly here.
	c := composedLayout(t, "Sw<1,4,3> o 0 o (32,2,2):(4,2,1)")
	right, err := c.RightInverse()
	require.NoError(t, err)
	requireSwizzledRightInverse(t, c, right)
	_, err = composedLayout(t, "Sw<1,0,2> o 4 o 8:1").RightInverse()
	require.EqualError(t, err, "right inverse of Sw<1,0,2> o 4 o 8:1: offset 0 is at no position, the smallest is 4")
	_, err = composedLayout(t, "Sw<1,0,2> o 0 o (2,2):(1,1)").LeftInverse()
	require.ErrorContains(t, err, "meet at offset 1")
	_, err = composedLayout(t, "Sw<1,0,-3> o 0 o 8:1").RightInverse()
	require.ErrorContains(t, err, "offset 1 is not at position 9")
}

// TestComposedSlice: the slice plus the offset is the whole at each coordinate; it is plain exactly if a layout exists.
func TestComposedSlice(t *testing.T) {
	r := rand.New(rand.NewPCG(69, 70))
	plain := 0
	for range 2000 {
		c := randomSwizzled(r)
		c.Offset = r.IntN(3) * r.IntN(64)
		coord := make([]Tuple, 3)
		var free []int
		for k := range coord {
			coord[k] = Underscore
			if r.IntN(2) == 0 {
				coord[k] = Int(r.IntN(c.Layout.Mode(k).Size()))
			} else {
				free = append(free, k)
			}
		}
		got, at, err := c.Slice(MakeTuple(coord...))
		require.NoError(t, err)
		full := append([]Tuple(nil), coord...)
		var values []int
		for i := range got.Size() {
			rest := i
			for _, k := range free {
				n := c.Layout.Mode(k).Size()
				full[k] = Int(rest % n)
				rest /= n
			}
			want, err := c.Index(MakeTuple(full...))
			require.NoError(t, err)
			require.Equal(t, want, at+got.At(i), "%v at %v is %v at offset %d", c, coord, got, at)
			values = append(values, want)
		}
		if len(free) == 3 {
			require.Equal(t, c.String(), got.String())
			continue
		}
		for i := range values {
			values[i] -= at
		}
		isPlain := got.Swizzle.Bits == 0
		if !isPlain {
			begin := values[0]
			for i := range values {
				values[i] -= begin
			}
			kept, _, err := Slice(c.Layout, MakeTuple(coord...))
			require.NoError(t, err)
			require.GreaterOrEqual(t, refusalOf(kept.Shape(), values), 0, "%v at %v has a plain layout", c, coord)
			continue
		}
		plain++
	}
	require.Greater(t, plain, 500)
	for _, c := range []struct {
		c, coord, want string
		at             int
	}{
		{"Sw<2,3,2> o 0 o (16,2,2):(1,16,32)", "(9,0,_)", "(2):(24)", 9},
		{"Sw<2,3,3> o 0 o (4,4,8):(1,4,16)", "(0,_,6)", "((2,2)):((4,-8))", 104},
		{"Sw<3,3,3> o 0 o (2,128):(128,1)", "(1,_)", "Sw<3,3,3> o 128 o (128):(1)", 0},
		{"Sw<3,3,3> o 0 o (64,2,4):(8,4,1)", "(_,0,1)", "Sw<3,3,3> o 0 o (64):(8)", 1},
		{"Sw<1,0,1> o 4 o (2,4):(2,1)", "(_,_)", "Sw<1,0,1> o 4 o (2,4):(2,1)", 0},
		{"(4,8):(8,1)", "(2,_)", "(8):(1)", 16},
	} {
		got, at, err := composedLayout(t, c.c).Slice(tuple(t, c.coord))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String())
		require.Equal(t, c.at, at)
	}
	_, _, err := composedLayout(t, "Sw<1,0,1> o 0 o (2,4):(2,1)").Slice(tuple(t, "(2,_)"))
	require.ErrorContains(t, err, "got 2 in shape 2, allowed is 0 to 1")
}

// TestComposedRecast: words and parts are where the swizzle takes their elements.
func TestComposedRecast(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	ups, downs := 0, 0
	for range 2000 {
		c := randomSwizzled(r)
		n := 1 << r.IntN(4)
		c.Offset = r.IntN(8) * r.IntN(8)
		if words, err := c.Upcast(n); err == nil {
			ups++
			for i := range c.Size() {
				coord := c.Layout.Coord(i).Leaves()
				for k, m := range c.Layout.leaves() {
					if m.stride%n != 0 {
						coord[k] = Int(coord[k].Value() / (n / m.stride))
					}
				}
				got, err := words.Index(MakeTuple(coord...))
				require.NoError(t, err)
				require.Equal(t, c.At(i)/n, got, "%v by %d is %v", c, n, words)
			}
		}
		if parts, err := c.Downcast(n); err == nil {
			downs++
			var want []int
			for _, at := range swizzledOffsets(c) {
				for j := range n {
					want = append(want, at*n+j)
				}
			}
			slices.Sort(want)
			require.Equal(t, want, slices.Sorted(slices.Values(swizzledOffsets(parts))), "%v by %d is %v", c, n, parts)
		}
	}
	require.Greater(t, ups, 300)
	require.Greater(t, downs, 300)
	c := composedLayout(t, "Sw<3,3,3> o 0 o (8,64):(64,1)")
	for _, x := range []struct {
		old, new int
		want     string
	}{
		{16, 32, "Sw<3,2,3> o 0 o (8,32):(32,1)"},
		{16, 8, "Sw<3,4,3> o 0 o (8,128):(128,1)"},
		{16, 16, c.String()},
		{16, 48, "upcast of Sw<3,3,3> by 3: allowed are powers of two"},
		{0, 16, "allowed are at least 1"},
	} {
		got, err := c.Recast(x.old, x.new)
		if err != nil {
			require.ErrorContains(t, err, x.want)
			continue
		}
		require.Equal(t, x.want, got.String())
	}
	_, err := swizzleOf(t, "Sw<2,1,-3>").Upcast(4)
	require.EqualError(t, err, "upcast of Sw<2,1,-3> by 4: it reads bit 1, inside a word, allowed are words of at most 2")
	_, err = swizzleOf(t, "Sw<2,1,-3>").Downcast(3)
	require.ErrorContains(t, err, "allowed are powers of two")
	_, err = composedLayout(t, "Sw<1,2,1> o 3 o (2,2):(1,4)").Upcast(4)
	require.ErrorContains(t, err, "is 4 elements behind the begin of a word of 4")
	words, err := composedLayout(t, "Sw<1,2,1> o 2 o (2,2):(1,4)").Upcast(4)
	require.NoError(t, err)
	require.Equal(t, "Sw<1,0,1> o 0 o (1,2):(1,1)", words.String())
}

// TestSwizzleUpcast: words go where their elements go.
func TestSwizzleUpcast(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for range 200 {
		s, n := randomSwizzle(r), 1<<r.IntN(5)
		words, err := s.Upcast(n)
		apart := false
		for x := range 1 << 10 {
			apart = apart || swizzled(s, x)/n != swizzled(s, x/n*n)/n
		}
		if err != nil {
			require.True(t, apart, "%v by %d: %v", s, n, err)
			continue
		}
		require.False(t, apart)
		parts, err := s.Downcast(n)
		require.NoError(t, err)
		for x := range 1 << 10 {
			require.Equal(t, swizzled(s, x)/n, words.Apply(x/n), "%v by %d", s, n)
			require.Equal(t, n*swizzled(s, x)+n-1, parts.Apply(n*x+n-1), "%v by %d", s, n)
		}
	}
}

func TestComposedMore(t *testing.T) {
	c := composedLayout(t, "Sw<2,3,3> o 0 o (16,64):(64,1)")
	divided, err := c.With(ZippedDivide(c.Layout, Ints(8, 16)))
	require.NoError(t, err)
	require.Equal(t, "Sw<2,3,3> o 0 o ((8,16),(2,4)):((64,1),(512,16))", divided.String())
	_, err = c.With(ZippedDivide(c.Layout, Ints(8, 16, 2)))
	require.ErrorContains(t, err, "Sw<2,3,3> o 0 o (16,64):(64,1): ")
	_, err = c.With(MakeLayout(Int(8), Int(-1)))
	require.ErrorContains(t, err, "offsets before the swizzle from -7")

	moved, err := c.DomainOffset(Ints(3, 5))
	require.NoError(t, err)
	require.Equal(t, "Sw<2,3,3> o 197 o (16,64):(64,1)", moved.String())
	_, err = c.DomainOffset(Ints(16, 0))
	require.ErrorContains(t, err, "got 16 in shape 16")

	for text, want := range map[string]int{
		"Sw<2,3,3> o 0 o (16,64):(64,1)": 8,
		"Sw<2,3,3> o 4 o (16,64):(64,1)": 4,
		"Sw<2,5,3> o 0 o (16,16):(64,1)": 16,
		"(16,16):(64,1)":                 16,
	} {
		got, err := composedLayout(t, text).MaxAlignment()
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
}

// TestSwizzledMaxCommonVector: the elements of the vector are neighbours in both, at every multiple of its size too.
func TestSwizzledMaxCommonVector(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	long := 0
	for range 1000 {
		c := randomSwizzled(r)
		d := Composed{Layout: c.Layout}
		if r.IntN(4) == 0 {
			d = randomSwizzled(r)
		}
		n, err := c.MaxCommonVector(d)
		require.NoError(t, err)
		back, err := d.MaxCommonVector(Composed{Swizzle: d.Swizzle, Layout: d.Layout})
		require.NoError(t, err)
		alone, err := MaxCommonVector(d.Layout, d.Layout)
		require.NoError(t, err)
		require.Equal(t, alone, back, "equal swizzles do not count")
		inverse, err := RightInverse(d.Layout)
		require.NoError(t, err)
		common := offsets(inverse)[:n]
		for i, at := range common {
			if n > 1 {
				require.Equal(t, swizzled(c.Swizzle, offset(c.Layout, common[0]))+i, swizzled(c.Swizzle, offset(c.Layout, at)), "%v and %v", c, d)
			}
			require.Equal(t, swizzled(d.Swizzle, offset(d.Layout, common[0]))+i, swizzled(d.Swizzle, offset(d.Layout, at)), "%v and %v", c, d)
		}
		if n > 1 {
			long++
		}
	}
	require.Greater(t, long, 100)
	c := composedLayout(t, "Sw<2,3,3> o 0 o (8,64):(64,1)")
	n, err := c.MaxCommonVector(composedLayout(t, "(8,64):(64,1)"))
	require.NoError(t, err)
	require.Equal(t, 8, n)
	n, err = c.MaxCommonVector(c)
	require.NoError(t, err)
	require.Equal(t, 512, n)
	_, err = composedLayout(t, "Sw<2,3,3> o 4 o (8,64):(64,1)").MaxCommonVector(c)
	require.ErrorContains(t, err, "offset 4, allowed are multiples of 8")
}

// repeated lists the offsets of a product by a swizzled tiler by the definition.
func repeated(t *testing.T, block Layout, by Composed) []int {
	t.Helper()
	free, err := Complement(block, block.Size()*by.Cosize())
	require.NoError(t, err)
	var all []int
	for _, copied := range swizzledOffsets(by) {
		for _, at := range offsets(block) {
			all = append(all, at+offset(free, copied))
		}
	}
	return all
}

// The copies of a product by a swizzled tiler stand at the free shifts that it counts.
func TestLogicalProductSwizzled(t *testing.T) {
	product := func(l, by string) (Composed, error) {
		return LogicalProductSwizzled(layout(t, l), composedLayout(t, by))
	}
	for _, c := range []struct{ l, by, want string }{
		{"4:1", "Sw<1,0,2> o 0 o 8:1", "Sw<1,2,2> o 0 o (4,8):(1,4)"},
		{"8:1", "Sw<1,2,1> o 0 o (4,8):(8,1)", "Sw<1,5,1> o 0 o (8,(4,8)):(1,(64,8))"}, // CuTe's answer is Sw<1,6,1>
		{"2:1", "Sw<3,0,3> o 0 o (4,2,4):(8,4,1)", "Sw<3,1,3> o 0 o (2,(4,2,4)):(1,(16,8,2))"},
		{"4:2", "Sw<1,0,1> o 0 o 4:1", "Sw<1,0,3> o 0 o (4,(2,2)):(2,(1,8))"}, // the shift by 1 comes first
		{"3:1", "5:1", "(3,5):(1,3)"},
	} {
		got, err := product(c.l, c.by)
		require.NoError(t, err, c)
		require.Equal(t, c.want, got.String())
	}
	for _, c := range []struct{ l, by, why string }{
		{"4:1", "Sw<1,0,2> o 4 o 4:1", "offset 4, allowed is 0"},
		{"(2,2):(1,1)", "Sw<1,0,2> o 0 o 8:1", "product of (2,2):(1,1) by Sw<1,0,2> o 0 o 8:1: complement of (2,2):(1,1)"},
		{"3:1", "Sw<1,0,2> o 0 o 8:1", "composition"}, // copies 12 apart: no bit
		{"1024:1", "Sw<1,0,2> o 0 o 257:1", "it has more than 262144 positions"},
	} {
		_, err := product(c.l, c.by)
		require.ErrorContains(t, err, c.why, c)
	}
	// A thousand modes of extent 1 cost nothing at each position.
	ones := "(" + strings.Repeat("1,", 400) + "256,256):(" + strings.Repeat("0,", 400) + "256,1)"
	var got Composed
	var err error
	require.NoError(t, inTime(func() { got, err = product("4:1", "Sw<3,3,3> o 0 o "+ones) }))
	require.NoError(t, err)
	require.Equal(t, Swizzle{3, 5, 3}, got.Swizzle)
	answered, refused := 0, 0
	for _, l := range []string{"1:0", "2:1", "4:1", "(2,2):(2,1)", "4:2", "(2,4):(1,8)", "3:1", "8:4", "(2,2):(1,4)", "2:3"} {
		for _, tiler := range []string{"8:1", "16:1", "(4,4):(4,1)", "(2,8):(8,1)", "(4,4):(1,8)", "6:1", "8:2"} {
			for _, s := range []string{"Sw<0,0,0>", "Sw<1,0,2>", "Sw<2,0,2>", "Sw<1,1,1>", "Sw<1,0,-2>", "Sw<1,2,1>", "Sw<2,1,3>"} {
				block, by := layout(t, l), Composed{Swizzle: swizzleOf(t, s), Layout: layout(t, tiler)}
				want := repeated(t, block, by)
				got, err := LogicalProductSwizzled(block, by)
				if err != nil {
					refused++
					plain, err := LogicalProduct(block, by.Layout)
					if err == nil {
						require.Empty(t, swizzlesOf(offsets(plain), want), "%v by %v", block, by)
					}
					continue
				}
				answered++
				require.Equal(t, want, swizzledOffsets(got), "%v by %v", block, by)
			}
		}
	}
	require.Equal(t, []int{391, 99}, []int{answered, refused})
}
