//go:build linux

package algebra

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is the processor time that one call may take, whatever it is given.
const patience = slowdown * 50 * time.Millisecond

// processorTime is the processor time of this thread: other programs' share of the machine is not in it.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// inTime makes the call, and says what is wrong if it panics or takes longer than patience. What took long is tried again: the caches of a
// busy machine are cold once, a hang is one each time.
func inTime(call func()) (wrong error) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Errorf("panic: %v", p)
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Duration(math.MaxInt64)
	for range 5 {
		begin := processorTime()
		call()
		if best = min(best, processorTime()-begin); best <= patience {
			return nil
		}
	}
	return fmt.Errorf("it takes %v, allowed are %v", best, patience)
}

// TestHostileTexts: 100,000 texts, of random bytes, of random words of the notation, and valid ones with bytes changed.
// The parsers read each or point at a fault in it, and what they read prints as a text that reads the same.
func TestHostileTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	words := []string{
		"(", ")", "((", "))", "[", "]", "<", ">", ",", ":", ";", "_", "@", "*", "o", " o ", "E", "Sw<", "S<", "SW_", "None", "Layout(", "-",
		"0", "1", "2", "3", "8", "_4", "64", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
		"-9223372036854775808", "99999999999999999999999", "1@0", "2@1@63", "4@-1", "\x00", "\xff", "\u2019", "\n", "\t",
	}
	valid := []string{
		"((2,2),3):((24,2),8)", "(4,8):(1@0,1@1)", "(4:1,_,(2,(3,2):(8,1)))", "Sw<3,4,3> o 5 o (8,8):(8,1)", "Layout((4, 8),(1, 4))",
		"(1,4):(9,2@1@0)", "(2,2):(-1,9223372036854775806)", "S<3,4,3> o _0 o (_8,_64):(_64,_1)", "(3,_,(4,5))",
	}
	text := func() string {
		var b strings.Builder
		switch r.IntN(3) {
		case 0:
			for range r.IntN(24) {
				b.WriteByte(byte(r.UintN(256)))
			}
		case 1:
			for range r.IntN(24) {
				b.WriteString(words[r.IntN(len(words))])
			}
		default:
			bytes := []byte(valid[r.IntN(len(valid))])
			for range 1 + r.IntN(3) {
				at := r.IntN(len(bytes))
				switch r.IntN(4) {
				case 0:
					bytes[at] = byte(r.UintN(256))
				case 1:
					bytes[at] = bytes[r.IntN(len(bytes))]
				case 2:
					if '0' <= bytes[at] && bytes[at] <= '9' {
						bytes = append(bytes[:at:at], append(strconv.AppendInt(nil, int64(hugeInt(r)), 10), bytes[at+1:]...)...)
					}
				default:
					bytes = append(bytes[:at:at], append([]byte(words[r.IntN(len(words))]), bytes[at:]...)...)
				}
			}
			b.Write(bytes)
		}
		return b.String()
	}
	read := 0
	for i := range 100_000 {
		in := text()
		for what, parse := range parsers {
			var err error
			if wrong := inTime(func() { err = parse(in) }); wrong != nil {
				t.Fatalf("%s %q: %v", what, in, wrong)
			}
			var fault *SyntaxError
			switch {
			case err == nil:
				read++
			case !errors.As(err, &fault) || fault.Column < 1 || fault.Column > len(in)+1 || i%50 == 0:
				requirePicture(t, what, in, err)
			}
		}
		if l, err := ParseLayout(in); err == nil {
			again, err := ParseLayout(l.String())
			require.NoError(t, err, "%q", in)
			require.True(t, again.Equal(l), "%q reads as %v and that as %v", in, l, again)
		}
	}
	require.Greater(t, read, 5_000)

	for _, long := range []string{
		strings.Repeat("(", 1<<16), strings.Repeat("(", 1<<16) + "1" + strings.Repeat(")", 1<<16), strings.Repeat("9", 1<<16),
		"(" + strings.Repeat("1,", 1<<14) + "1):(" + strings.Repeat("0,", 1<<14) + "0)", "4:1" + strings.Repeat("@0", 1<<15),
	} {
		for what, parse := range parsers {
			require.NoError(t, inTime(func() { _ = parse(long) }), "%s %.9q...", what, long)
		}
	}
}

// hugeInt is near a power of two up to 2^63, or small, or anything.
func hugeInt(r *rand.Rand) int {
	switch r.IntN(6) {
	case 0:
		return 1 + r.IntN(9)
	case 1:
		return 1 << r.IntN(63)
	case 2:
		return max(1, 1<<r.IntN(63)+r.IntN(5)-2)
	case 3:
		return max(1, 1<<31+r.IntN(5)-2)
	case 4:
		return math.MaxInt64 - r.IntN(3)
	}
	return 1 + int(r.Uint64()>>(1+r.IntN(63)))
}

// hugeModes has strides that may be huge, often such that one mode begins where another ends. So may be the extents,
// unless they are to be few.
func hugeModes(r *rand.Rand, few bool) []mode {
	modes := make([]mode, 1+r.IntN(4))
	end := 1
	for k := range modes {
		m := mode{shape: hugeInt(r), stride: hugeInt(r)}
		switch {
		case few:
			m.shape = 1 + r.IntN(9)
		case r.IntN(2) == 0:
			m.shape = 1 << r.IntN(12)
		}
		if r.IntN(3) > 0 {
			m.stride = end
		}
		switch r.IntN(16) {
		case 0:
			m.stride = -m.stride
		case 1:
			m.stride = 0
		case 2:
			m.stride = math.MinInt64
		}
		if next, ok := mul(m.shape, abs(m.stride)); ok && next > 0 {
			end = next
		}
		modes[k] = m
	}
	r.Shuffle(len(modes), func(i, j int) { modes[i], modes[j] = modes[j], modes[i] })
	return modes
}

// hugeLayout is a layout of hugeModes. MakeLayout refuses exactly those whose size or span is beyond 64 bits, and the stride
// -2^63, which has no opposite.
func hugeLayout(t *testing.T, r *rand.Rand, few bool) Layout {
	for {
		modes := hugeModes(r, few)
		size, span, beyond := big.NewInt(1), big.NewInt(1), false
		for _, m := range modes {
			n, d := big.NewInt(int64(m.shape)), big.NewInt(int64(m.stride))
			beyond = beyond || m.stride == math.MinInt64
			size.Mul(size, n)
			span.Add(span, d.Abs(d.Mul(d, n.Sub(n, big.NewInt(1)))))
		}
		l, err := MakeLayout(shapeOf(flatProfile(len(modes)), modes), strideOf(flatProfile(len(modes)), modes))
		if beyond || !size.IsInt64() || !span.IsInt64() {
			require.ErrorIs(t, err, errOverflow, "%v", modes)
			continue
		}
		if err != nil || size.Int64() != int64(l.Size()) || span.Int64() != int64(l.Cosize()) {
			t.Fatalf("%v is %v of size %v and cosize %v: %v", modes, l, size, span, err)
		}
		return l
	}
}

// bigAt is the definition of a layout at a position, without bounds.
func bigAt(l Layout, position *big.Int) *big.Int {
	value, rest := new(big.Int), new(big.Int).Set(position)
	modes := l.leaves()
	for k, m := range modes {
		digit := new(big.Int).Set(rest)
		if k < len(modes)-1 {
			rest.QuoRem(rest, big.NewInt(int64(m.shape)), digit)
		}
		value.Add(value, digit.Mul(digit, big.NewInt(int64(m.stride))))
	}
	return value
}

// somePositions are positions of a domain: the last one, the ends of its modes, and one of no kind.
func somePositions(r *rand.Rand, l Layout) []int {
	n := l.Size()
	positions := []int{n - 1, r.IntN(n)}
	step := 1
	for _, m := range l.leaves() {
		positions = append(positions, step*(m.shape-1))
		step *= m.shape
	}
	return positions
}

// hostilePairs is how many pairs TestHostileLayouts draws. More find what fewer do not:
//
//	go test ./algebra -run HostileLayouts -hostile.pairs 200000
var hostilePairs = flag.Int("hostile.pairs", 25_000, "pairs of layouts that TestHostileLayouts draws")

// TestHostileLayouts: pairs of layouts with extents and strides up to 2^63. Each operation answers or refuses in
// time, and an answer is right, without a bound on its integers, at the ends of the modes and in between.
func TestHostileLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	answers := map[string]int{}
	for pair := range *hostilePairs {
		// One pair of 64 has so many coordinates that looking at them ends undecided, which takes milliseconds.
		few := pair%64 > 0
		a, b := hugeLayout(t, r, few), hugeLayout(t, r, few || r.IntN(2) == 0)
		n := hugeInt(r)
		// agree checks, every second time, that got has the values of want on some of its positions.
		agree := func(name string, got Layout, want func(i *big.Int) *big.Int) {
			answers[name]++
			if pair%2 > 0 {
				return
			}
			for _, i := range somePositions(r, got) {
				at := big.NewInt(int64(i))
				if w := want(at); w.Cmp(bigAt(got, at)) != 0 || w.Cmp(big.NewInt(int64(got.At(i)))) != 0 {
					t.Fatalf("%s of %v and %v (or %d): %v is %v at %d, wanted is %v", name, a, b, n, got, got.At(i), i, w)
				}
			}
		}
		do := func(name string, op func() (Layout, error)) (l Layout, ok bool) {
			var err error
			if wrong := inTime(func() { l, err = op() }); wrong != nil {
				t.Fatalf("%s of %v and %v (or %d): %v", name, a, b, n, wrong)
			}
			return l, err == nil
		}
		ofA := func(i *big.Int) *big.Int { return bigAt(a, i) }
		ofAB := func(i *big.Int) *big.Int { return bigAt(a, bigAt(b, i)) }

		if l, ok := do("composition", func() (Layout, error) { return Composition(a, b) }); ok {
			require.Equal(t, b.Size(), l.Size(), "%v o %v", a, b)
			agree("composition", l, ofAB)
		}
		if l, ok := do("coalesce", func() (Layout, error) { return Coalesce(a), nil }); ok {
			require.Equal(t, a.Size(), l.Size(), "%v", a)
			agree("coalesce", l, ofA)
		}
		if l, ok := do("right_inverse", func() (Layout, error) { return RightInverse(a) }); ok {
			agree("right_inverse", l, func(i *big.Int) *big.Int { return big.NewInt(int64(l.At(int(i.Int64())))) })
			for _, i := range somePositions(r, l) {
				if got := ofA(big.NewInt(int64(l.At(i)))); got.Cmp(big.NewInt(int64(i))) != 0 {
					t.Fatalf("right inverse %v of %v finds offset %v, not %d", l, a, got, i)
				}
			}
		}
		if l, ok := do("left_inverse", func() (Layout, error) { return LeftInverse(a) }); ok {
			answers["left_inverse"]++
			for _, i := range somePositions(r, a) {
				at := ofA(big.NewInt(int64(i)))
				if got := ofA(bigAt(l, at)); got.Cmp(at) != 0 {
					t.Fatalf("left inverse %v of %v finds offset %v, not %v", l, a, got, at)
				}
			}
		}
		if l, ok := do("complement", func() (Layout, error) { return Complement(a, n) }); ok {
			agree("complement", l, func(i *big.Int) *big.Int { return bigAt(l, i) })
			moving := Filter(a)
			covered := new(big.Int).Mul(big.NewInt(int64(moving.Size())), big.NewInt(int64(l.Size())))
			last := new(big.Int).Add(big.NewInt(int64(moving.Cosize())), big.NewInt(int64(l.Cosize()-1)))
			require.LessOrEqual(t, covered.Cmp(last), 0, "%v and its complement %v to %d overlap", a, l, n)
			sorted, err := nested(a)
			require.NoError(t, err)
			if _, gap := firstGap(sorted); !gap {
				require.GreaterOrEqual(t, covered.Cmp(big.NewInt(int64(n))), 0, "%v and its complement %v do not reach %d", a, l, n)
			}
		}
		if l, ok := do("logical_divide", func() (Layout, error) { return LogicalDivide(a, b) }); ok {
			agree("logical_divide", l.Mode(0), ofAB)
			require.GreaterOrEqual(t, l.Size(), a.Size(), "%v by %v", a, b)
			rest, err := Complement(b, a.Size())
			require.NoError(t, err)
			agree("logical_divide, rest", l.Mode(1), func(i *big.Int) *big.Int { return bigAt(a, bigAt(rest, i)) })
		}
		if l, ok := do("logical_product", func() (Layout, error) { return LogicalProduct(a, b) }); ok {
			agree("logical_product", l.Mode(0), ofA)
			require.Equal(t, b.Size(), l.Mode(1).Size(), "%v times %v", a, b)
			agree("logical_product, rest", l.Mode(1), func(i *big.Int) *big.Int { return bigAt(l.Mode(1), i) })
		}
		if pair%4 > 0 { // the rest is made of these
			continue
		}
		do("divide by an integer", func() (Layout, error) { return LogicalDivide(a, Int(n)) })
		do("zipped_divide", func() (Layout, error) { return ZippedDivide(a, MakeTuple(Int(n))) })
		do("blocked_product", func() (Layout, error) { return BlockedProduct(a, b) })
		do("raked_product", func() (Layout, error) { return RakedProduct(a, b) })
		do("upcast", func() (Layout, error) { return Upcast(a, n) })
		do("downcast", func() (Layout, error) { return Downcast(a, n) })
		do("nullspace", func() (Layout, error) { return Nullspace(a) })
		do("max_common_layout", func() (Layout, error) { return MaxCommonLayout(a, b) })
		do("local_partition", func() (Layout, error) { return LocalPartition(a, b) })
		do("filter", func() (Layout, error) { return Filter(a), nil })
		do("coordinate of an offset", func() (Layout, error) { _, err := CoordOf(a, n); return a, err })
	}
	for name, n := range answers {
		require.Greater(t, n, *hostilePairs*3/10, name)
	}
	require.Len(t, answers, 9)
}

// TestHostileClaims: 4,000 layouts with extents and strides up to 2^63, as they are and after a swizzle and an offset. Each claim holds,
// fails for a reason that is one, or is refused, in time.
func TestHostileClaims(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	holds, fails := map[string]int{}, map[string]int{}
	for i := range 4_000 {
		l, n := hugeLayout(t, r, i%4 > 0), hugeInt(r)
		c := Composed{Swizzle{r.IntN(4), r.IntN(40), 4 + r.IntN(10)}, hugeInt(r) >> r.IntN(63), l}
		plain, swizzled := func(coord Tuple) (int, error) { return l.Index(coord) }, c.Index
		for _, q := range []struct {
			name string
			ask  func() (*Counterexample, error)
			at   func(Tuple) (int, error)
			size int
		}{
			{"injective", func() (*Counterexample, error) { return Injective(l) }, plain, l.Cosize()},
			{"surjective", func() (*Counterexample, error) { return Surjective(l, Int(n)) }, plain, n},
			{"surjective, its coshape", func() (*Counterexample, error) { return Surjective(l, Coshape(l)) }, plain, l.Cosize()},
			{"bijective", func() (*Counterexample, error) { return Bijective(l, Int(l.Size())) }, plain, l.Size()},
			{"swizzled injective", c.Injective, swizzled, l.Cosize()},
			{"swizzled surjective", func() (*Counterexample, error) { return c.Surjective(n) }, swizzled, n},
			{"swizzled bijective", func() (*Counterexample, error) { return c.Bijective(l.Size()) }, swizzled, l.Size()},
		} {
			var counter *Counterexample
			var err error
			if wrong := inTime(func() { counter, err = q.ask() }); wrong != nil {
				t.Fatalf("%s of %v or %v and %d: %v", q.name, l, c, n, wrong)
			}
			switch {
			case err != nil:
			case counter == nil:
				holds[q.name]++
				// As many values as coordinates, or as the codomain has.
				require.True(t, strings.Contains(q.name, "surjective") && l.Size() >= q.size || strings.Contains(q.name, "injective") && l.Size() <= q.size ||
					strings.Contains(q.name, "bijective") && l.Cosize() >= q.size, "%s of %v or %v and %d", q.name, l, c, n)
			default:
				fails[q.name]++
				for _, coord := range counter.Coords {
					at, err := q.at(coord)
					require.NoError(t, err)
					require.Equal(t, counter.Value.Value(), at, "%s of %v or %v and %d: %v", q.name, l, c, n, counter)
				}
				if len(counter.Coords) == 0 && !strings.HasPrefix(q.name, "swizzled") {
					_, err := CoordOf(l, counter.Value.Value())
					require.Error(t, err, "%s of %v and %d: %v", q.name, l, n, counter)
				}
			}
		}
		for name, inverse := range map[string]func() (Composed, error){"right": c.RightInverse, "left": c.LeftInverse} {
			if wrong := inTime(func() { _, _ = inverse() }); wrong != nil {
				t.Fatalf("%s inverse of %v: %v", name, c, wrong)
			}
		}
	}
	require.Len(t, holds, 7)
	require.Len(t, fails, 7)
}
