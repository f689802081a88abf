package algebra

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstLost is the first offset that no left inverse of l finds beside those below it, -1 if some layout finds them all. It
// tries every chain of weights 1 | w1 | w2 | ...: the offset x has the digits x%w1, x/w1%(w2/w1), ..., the last unbounded,
// and a layout's value is the sum of its strides times these. l must be injective up to modes of stride 0.
func firstLost(l Layout) int {
	position := map[int]int{}
	var xs []int
	for i, x := range offsets(l) {
		if _, ok := position[x]; !ok {
			position[x] = i
			xs = append(xs, x)
		}
	}
	slices.Sort(xs)
	furthest := 0
	var try func(weights []int)
	try = func(weights []int) {
		columns := make([][]int, len(weights))
		for k, w := range weights {
			for _, x := range xs {
				if k+1 < len(weights) {
					x %= weights[k+1]
				}
				columns[k] = append(columns[k], x/w)
			}
		}
		want := make([]int, len(xs))
		for i, x := range xs {
			want[i] = position[x]
		}
		at := contradiction(columns, want)
		furthest = max(furthest, at)
		if furthest == len(xs) {
			return
		}
		// A weight beyond the offset of the contradiction changes no digit up to there.
		last := weights[len(weights)-1]
		for w := 2 * last; w <= xs[at] && furthest < len(xs); w += last {
			try(append(slices.Clone(weights), w))
		}
	}
	try([]int{1})
	if furthest == len(xs) {
		return -1
	}
	return xs[furthest]
}

// contradiction is the number of equations that integers solve together: the first ones of sum over k of
// columns[k][i]*d[k] = want[i]. It brings the columns to echelon form, which no integer solution is lost by, and solves from
// the first equation on.
func contradiction(columns [][]int, want []int) int {
	rest := slices.Clone(want)
	for i := range want {
		for {
			moving := slices.DeleteFunc(slices.Clone(columns), func(c []int) bool { return c[i] == 0 })
			if len(moving) < 2 {
				break
			}
			least := slices.MinFunc(moving, func(a, b []int) int { return abs(a[i]) - abs(b[i]) })
			for _, c := range moving {
				if &c[0] != &least[0] {
					times := c[i] / least[i]
					for j := range c {
						c[j] -= times * least[j]
					}
				}
			}
		}
		k := slices.IndexFunc(columns, func(c []int) bool { return c[i] != 0 })
		switch {
		case k < 0 && rest[i] == 0:
			continue
		case k < 0 || rest[i]%columns[k][i] != 0:
			return i
		}
		times := rest[i] / columns[k][i]
		for j := range rest {
			rest[j] -= times * columns[k][j]
		}
		columns = slices.Delete(slices.Clone(columns), k, k+1)
	}
	return len(want)
}

func TestContradiction(t *testing.T) {
	require.Equal(t, 2, contradiction([][]int{{2, 0}, {0, 3}}, []int{4, 9}))
	require.Equal(t, 1, contradiction([][]int{{2, 0}, {0, 3}}, []int{4, 8}), "3*d = 8")
	require.Equal(t, 2, contradiction([][]int{{2, 1}, {3, 1}}, []int{1, 0}), "d = (-1,1)")
	require.Equal(t, 1, contradiction([][]int{{2, 4}, {3, 6}}, []int{1, 3}), "twice the first equation")
}

// smallLayouts gives every layout of up to three modes of extents 2 to 4 and strides from low on, nine of them.
func smallLayouts(low int, use func(l Layout)) {
	modes := universe{"inverses", 4, 8, 0, 0}.modes()[1:]
	for k := range modes {
		modes[k].stride += low
	}
	for n := 1; n <= 3; n++ {
		for number := range power(len(modes), n) {
			use(pick(modes, number, n))
		}
	}
}

// TestLeftInverseCensus: over all small layouts, LeftInverse gives a layout exactly if there is one, it finds every
// offset, and a refusal names the first offset that none finds beside those below it. More than half of what it gives is
// beyond CuTe's rule, that the strides divide each other.
func TestLeftInverseCensus(t *testing.T) {
	var given, beyond, none, meet int
	smallLayouts(0, func(l Layout) {
		got, err := LeftInverse(l)
		switch {
		case !distinct(offsets(Filter(l))):
			require.ErrorContains(t, err, "meet at offset", l)
			meet++
		case err != nil:
			requireNoLeftInverse(t, l, err)
			none++
		default:
			requireLeftInverse(t, l, got)
			if !dividing(l) {
				beyond++
			}
			given++
		}
	})
	require.Equal(t, []int{5832, 3171, 1375, 13232}, []int{given, beyond, none, meet})
}

// dividing tells whether l's strides above 0 divide each other and its modes do not interleave.
func dividing(l Layout) bool {
	modes := moving(l)
	if len(modes) == 0 {
		return true
	}
	_, ok := nestedInverse(modes)
	return ok && !interleave(modes)
}

// TestNullspaceCensus: over all small layouts of strides of both signs, Nullspace gives a layout exactly if one lists the
// zeros in order, and a refusal has the first zero that none lists.
func TestNullspaceCensus(t *testing.T) {
	var still, cancelling, none int
	smallLayouts(-4, func(l Layout) {
		null, err := Nullspace(l)
		requireNullspace(t, l, null, err)
		switch {
		case err != nil:
			none++
		case null.Size() > l.Size()/Filter(l).Size():
			cancelling++
		default:
			still++
		}
	})
	require.Equal(t, []int{10519, 6914, 3006}, []int{still, cancelling, none})
}

// TestRightInverseCensus: over all small layouts the right inverse is one, and none is longer where offsets do not meet. Where
// they do, or strides are negative, the longest is found by brute force: CuTe's rule, and ours, leaves some of it out.
func TestRightInverseCensus(t *testing.T) {
	var longest, longer int
	for _, low := range []int{0, -4} {
		smallLayouts(low, func(l Layout) {
			r, err := RightInverse(l)
			require.NoError(t, err)
			requireRightInverse(t, l, r)
			if n := longestRight(l); n > r.Size() {
				longer++
				negative := slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.stride < 0 })
				require.True(t, negative || !distinct(offsets(Filter(l))), "%v has a longer one than %v, of %d", l, r, n)
			} else {
				require.Equal(t, n, r.Size(), "%v and %v", l, r)
				longest++
			}
		})
	}
	require.Equal(t, []int{31179, 9699}, []int{longest, longer})
}

// longestRight is the size of the longest layout R with l(R(i)) = i. It tries all extents, and all positions of the offset
// that each mode steps to.
func longestRight(l Layout) int {
	at := map[int][]int{}
	for i, x := range offsets(l) {
		at[x] = append(at[x], i)
	}
	longest := 1
	finds := func(list []int) bool {
		for i, x := range list {
			if !slices.Contains(at[i], x) {
				return false
			}
		}
		return true
	}
	var extend func(list []int)
	extend = func(list []int) {
		longest = max(longest, len(list))
		for _, step := range at[len(list)] {
			more := slices.Clone(list)
			for begin := step; ; begin += step {
				for _, i := range list {
					more = append(more, begin+i)
				}
				if !finds(more) {
					break
				}
				extend(more)
			}
		}
	}
	extend([]int{0})
	return longest
}
