package notation_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/algebra/notation"
)

// lists are the lists of integers in a text, in order.
func lists(t *testing.T, text string) (found [][][]int) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\[(\[[0-9, \[\]]*\])?\]|\[[0-9, ]+\]`).FindAllString(text, -1) {
		if !strings.HasPrefix(m, "[[") && m != "[]" {
			m = "[" + m + "]"
		}
		var l [][]int
		require.NoError(t, json.Unmarshal([]byte(m), &l), "%s in %s", m, text)
		found = append(found, l)
	}
	return found
}

// at is the xor of the bases of i's bits.
func at(bases [][]int, i, rank int) []int {
	sum := make([]int, rank)
	for bit, b := range bases {
		if i>>bit&1 == 1 {
			for k := range sum {
				sum[k] ^= b[k]
			}
		}
	}
	return sum
}

// small are layouts of two modes, linear and not.
func small(yield func(algebra.Layout)) {
	shapes := []int{1, 2, 3, 4, 8}
	strides := []int{-1, 0, 1, 2, 3, 4, 5, 8, 16}
	for _, m := range shapes {
		for _, n := range shapes {
			for _, d := range strides {
				for _, e := range strides {
					l, err := algebra.MakeLayout(algebra.Ints(m, n), algebra.Ints(d, e))
					if err != nil {
						panic(err)
					}
					yield(l)
				}
			}
		}
	}
}

// Bases are given exactly where the layout, swizzled or not, is linear, and their xor is the layout.
func TestBasesAreLinearFunctions(t *testing.T) {
	given, refused := 0, 0
	for _, s := range []algebra.Swizzle{{}, {Bits: 1, Shift: 2}, {Bits: 2, Shift: -2}, {Bits: 1, Base: 1, Shift: 1}} {
		small(func(l algebra.Layout) {
			c := algebra.Composed{Swizzle: s, Layout: l}
			if c.Validate() != nil {
				return
			}
			m, n := l.Mode(0).Size(), l.Mode(1).Size()
			value := func(i, j int) int { return c.At(i + m*j) }
			linear := m&(m-1) == 0 && n&(n-1) == 0
			for p := range m * n {
				for q := range m * n {
					linear = linear && value(p%m^q%m, p/m^q/m) == value(p%m, p/m)^value(q%m, q/m)
				}
			}
			text, err := notation.Bases(c)
			require.Equal(t, linear, err == nil, "%v: %v", c, err)
			if err != nil {
				refused++
				return
			}
			given++
			found := lists(t, text)
			for i := range m {
				for j := range n {
					require.Equal(t, value(i, j), at(found[0], i, 1)[0]^at(found[1], j, 1)[0], "%v at (%d,%d): %s", c, i, j, text)
				}
			}
			size := found[len(found)-1][0][0]
			require.GreaterOrEqual(t, size, c.Cosize(), c)
			require.True(t, size == 1 || size/2 < c.Cosize(), "%v: %s", c, text)
		})
	}
	assert.Greater(t, given, 500)
	assert.Greater(t, refused, 500)
}

// element is the coordinate of a register of a thread by the definition of the blocked layout: the block of a thread lies in that of a
// warp, this in that of the program, and this repeats over the tensor; all are counted along the order's coordinates.
func element(size, lanes, warps, order, shape []int, reg, thread int) []int {
	rank := len(order)
	digits := func(i int, extents []int) []int {
		c := make([]int, rank)
		for _, d := range order {
			c[d], i = i%extents[d], i/extents[d]
		}
		return c
	}
	block, inner := make([]int, rank), 1
	repeats := make([]int, rank)
	for d := range rank {
		block[d] = size[d] * lanes[d] * warps[d]
		repeats[d] = shape[d] / block[d]
		inner *= size[d]
	}
	r, l, w, rest := digits(reg%inner, size), digits(thread%32, lanes), digits(thread/32, warps), digits(reg/inner, repeats)
	c := make([]int, rank)
	for d := range rank {
		c[d] = r[d] + size[d]*(l[d]+lanes[d]*(w[d]+warps[d]*rest[d]))
	}
	return c
}

// Each blocked layout, written as a layout of (thread,value), comes back as a blocked layout with each element in the same register.
func TestBlockedComesBack(t *testing.T) {
	ones := func(n int) [][]int { // pairs of powers of two with the product n
		var pairs [][]int
		for m := 1; m <= n; m *= 2 {
			pairs = append(pairs, []int{m, n / m})
		}
		return pairs
	}
	count := 0
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		for _, lanes := range ones(32) {
			for _, warps := range slices.Concat(ones(1), ones(4)) {
				for _, size := range slices.Concat(ones(1), ones(2), ones(4), [][]int{{4, 4}}) {
					for _, repeats := range [][]int{{1, 1}, {2, 1}, {1, 2}, {2, 4}} {
						shape := []int{size[0] * lanes[0] * warps[0] * repeats[0], size[1] * lanes[1] * warps[1] * repeats[1]}
						var shapes, strides [2][]algebra.Tuple
						deal := func(mode int, extents, step []int) {
							for _, d := range order {
								shapes[mode] = append(shapes[mode], algebra.Int(extents[d]))
								strides[mode] = append(strides[mode], algebra.Basis(step[d], d))
								step[d] *= extents[d]
							}
						}
						step := []int{1, 1}
						deal(1, size, step)
						deal(0, lanes, step)
						deal(0, warps, step)
						deal(1, repeats, step)
						l, err := algebra.MakeLayout(
							algebra.MakeTuple(algebra.MakeTuple(shapes[0]...), algebra.MakeTuple(shapes[1]...)),
							algebra.MakeTuple(algebra.MakeTuple(strides[0]...), algebra.MakeTuple(strides[1]...)))
						require.NoError(t, err)
						text, err := notation.Triton(l)
						require.NoError(t, err, l)
						if shape[1] == 1 { // nothing moves along the last coordinate, so the tensor has rank 1
							continue
						}
						require.Contains(t, text, "gl.BlockedLayout", l)
						f := lists(t, text)
						for thread := range l.Mode(0).Size() {
							for reg := range l.Mode(1).Size() {
								want, err := l.Value(algebra.Ints(thread, reg))
								require.NoError(t, err)
								got := element(f[0][0], f[1][0], f[2][0], f[3][0], shape, reg, thread)
								if k := coordinates(want); !slices.Equal(k, got) {
									require.Equal(t, k, got, "%v, thread %d register %d: %s", l, thread, reg, text)
								}
							}
						}
						count++
					}
				}
			}
		}
	}
	assert.Greater(t, count, 1000)
}

// coordinates are the two integers of a coordinate whose last ones may be missing.
func coordinates(c algebra.Tuple) []int {
	k := []int{0, 0}
	for i, leaf := range c.Leaves() {
		k[i] = leaf.Value()
	}
	return k
}

// A linear layout of Triton is the layout of (thread,value), register by register.
func TestDistributedIsTheLayout(t *testing.T) {
	l := algebra.MustLayout("((4,8,2),(2,2,2)):((32,1,128),(16,8,256))")
	text, err := notation.Triton(l)
	require.NoError(t, err)
	f := lists(t, text)
	require.Len(t, f, 5)
	for thread := range 64 {
		for reg := range 8 {
			want, err := l.Index(algebra.Ints(thread, reg))
			require.NoError(t, err)
			assert.Equal(t, want, at(f[0], reg, 1)[0]^at(f[1], thread%32, 1)[0]^at(f[2], thread/32, 1)[0], "thread %d, register %d", thread, reg)
		}
	}
}

// Every notation answers at once whatever the value is.
func TestHostile(t *testing.T) {
	deep := algebra.Int(2)
	for range 64 {
		deep = algebra.MakeTuple(deep)
	}
	many := make([]int, 1000)
	for i := range many {
		many[i] = 1
	}
	path := algebra.Basis(1, 1, 1)
	values := []notation.Value{
		nil, true, 3.5, "x", -1 << 63, deep, algebra.Tuple{}, algebra.Underscore, algebra.Ints(many...), algebra.Layout{}, algebra.Tile{}, algebra.Tile{nil},
		algebra.Tile{algebra.Tile{algebra.Underscore}}, path,
		algebra.MustLayout("(2,2305843009213693952):(1,1)"), algebra.MustLayout("(32,2):(1@62,1@61)"),
		algebra.Swizzle{Bits: -1}, algebra.Swizzle{Bits: 1, Base: 1 << 62, Shift: -1 << 63}, algebra.Composed{Offset: -1}, algebra.Composed{Offset: 1<<63 - 1, Layout: algebra.MustLayout("4:1")},
		algebra.Composed{Swizzle: algebra.Swizzle{Bits: 2, Shift: 1}}, algebra.Composed{Layout: algebra.MustLayout("2:1@0")},
		algebra.MustLayout("((2,2,2,2,2),(2,2,2,2)):((1@0,1@1,1@2,1@3,1@4),(2@0,2@1,2@2,2@3))"),
	}
	for _, n := range notation.All() {
		for _, v := range values {
			begin := time.Now()
			text, err := n.Write(v)
			assert.Less(t, time.Since(begin), 500*time.Millisecond, "%s of %v", n.Name, v)
			assert.Equal(t, err != nil, text == "", "%s of %v", n.Name, v)
		}
	}
}

func TestFind(t *testing.T) {
	for _, n := range notation.All() {
		found, err := notation.Find(n.Name)
		require.NoError(t, err)
		assert.Equal(t, n.Meaning, found.Meaning)
	}
	_, err := notation.Find("c++")
	require.EqualError(t, err, `no notation "c++", allowed are cpp, dsl, pycute, bases, triton`)
	_, err = notation.CPP(true)
	require.EqualError(t, err, "true: got an answer of true or false, allowed are integers, tuples, layouts, swizzled layouts, tilers and swizzles")
}

func ExampleTriton() {
	tile, _ := algebra.Identity(algebra.Ints(32, 32))
	tv, _ := algebra.PartitionTV(tile, algebra.MustLayout("(32,8):(8,1)"), algebra.Ints(1, 4))
	text, _ := notation.Triton(tv)
	fmt.Println(tv)
	fmt.Println(text)
	// Output:
	// ((8,32),(1,4),(1,1)):((4@1,1@0),(0,1@1),(0,0))
	// gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[4, 8], warps_per_cta=[8, 1], order=[1, 0])
}
