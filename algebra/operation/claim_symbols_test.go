package operation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra/dynamic"
)

func TestClaimsWithSymbols(t *testing.T) {
	const swizzled = "Sw<2,3,3> o 0 o (8*m,64):(64,1)"
	for _, c := range []struct{ claim, args, want string }{
		{"congruent", "(M,2)|(1,K)", ""},
		{"congruent", "M|(1,K)", "M stands beside (1,K)"},
		{"congruent", swizzled + "|(1,K)", ""},
		{"weakly_congruent", "(M,2)|(4,(K,8)):(1,(4,lda))", ""},
		{"weakly_congruent", "(M,(2,K))|(M,7)", "(2,K) stands beside 7"},
		{"equal", "(M,K):(1,M)|K*M:1", ""},
		{"equal", "(M,K):(K,1)|(K,M):(1,K)", "with K = 2, M = 2: at 1 the values are 2 and 1"},
		{"equal", swizzled + "|Sw<2,3,3> o 0 o (8,m,64):(64,512,1)", ""},
		{"equal", "(M,2):(1,M)|(M,2):(1,M+1)", "with M = 2: at 2 the values are 2 and 3"},
		{"injective", "(M,K):(K,1)", ""},
		{"injective", "(4,2):(1,4*n)", ""},
		{"injective", "(M,K):(lda,1)", "with K = 2, M = 2, lda = 1: coordinates (1,0) and (0,1) are both at 1"},
		{"injective", "(M,n):(1,0)", "with M = 2, n = 2: coordinates (0,0) and (0,1) are both at 0"},
		{"injective", swizzled, ""},
		{"injective", "(M,(4,K)):(1@0,(1@1,4@1))", ""},
		{"injective", "(M,(4,K)):(1@0,(1@1,1@0))", "with K = 2, M = 2: coordinates (1,(0,0)) and (0,(0,1)) are both at (1,0)"},
		{"bijective", "(M,(4,K)):(4*K,(1,4))", ""},
		{"bijective", "(M,2):(2,2)", "with M = 2: coordinates (1,0) and (0,1) are both at 2"},
		{"contiguous", "(M,K):(K,1)", ""},
		{"contiguous", "M:2", "with M = 2: no coordinate is at 1"},
		{"compatible", "4*M|(4,M)", ""},
		{"compatible", "4*M|(4,(M,2))", "with M = 2: 8 stands beside (4,(2,2)), of size 16"},
		{"covers", "(M,K):(1,M)|K*M", ""},
		{"covers", "(M,K):(1,M)|K*M+1", "with K = 2, M = 2: no coordinate is at 4"},
		{"disjoint", "M:2|N:2", "with M = 2, N = 2: A at 0 and B at 0 are both at 0"},
		{"evenly_divides", "(M,6)|(4,3)", "with M = 2: (4,3) leaves a remainder of (2,6)"},
		{"composition", "(8*m,K):(1,lda)|4:2|4:2", ""},
		{"composition", "(8*m,K):(1,lda)|4:2|4:1", "with K = 2, lda = 2, m = 2: A(B(1)) = A(2) = 2, not 1"},
		{"right_inverse", "(M,K):(K,1)|(K,M):(M,1)", ""},
		{"left_inverse", "(M,K):(K,1)|(K,M):(M,1)", ""},
		{"left_inverse", "(M,K):(K,1)|(M,K):(1,M)", "with K = 2, M = 2: R(LAYOUT(1)) = R(2) = 2, not 1"},
	} {
		claim, err := FindClaim(c.claim)
		require.NoError(t, err)
		counter, err := claim.Check(strings.Split(c.args, "|")...)
		require.NoError(t, err, "%s %s", c.claim, c.args)
		if c.want == "" {
			assert.Empty(t, counter, "%s %s", c.claim, c.args)
		} else {
			assert.Contains(t, counter, c.want, "%s %s", c.claim, c.args)
		}
	}
	for _, c := range []struct{ claim, args, want string }{
		{"evenly_divides", "(4*m,6)|(4,3)", "evenly divides: no small values refute it, and whether it holds for all depends on the values of the symbols " +
			"(m is a size known at run time)"},
		{"disjoint", "M:2|N:2|1", "(M, N are sizes known at run time)"},
		{"bijective", swizzled, "depends on the values"},
		{"injective", "M", "and a stride"},
		{"injective", "Sw<2,3,3> o 0 o (M,8):(1@0,1@1)", "its layout's values are coordinates"},
		{"injective", "Sw<2,3,3> o 0 o (M,8):(-8,1)", "write them without minus signs"},
		{"injective", "Sw<2,3,1> o 0 o (M,8):(8,1)", "the fields overlap"},
		{"covers", "M:1", "got 1 arguments, allowed are LAYOUT N"},
	} {
		claim, err := FindClaim(c.claim)
		require.NoError(t, err)
		counter, err := claim.Check(strings.Split(c.args, "|")...)
		require.ErrorContains(t, err, c.want, "%s %s: %s", c.claim, c.args, counter)
	}
}

// What is proved for all values holds for values that are not looked at first.
func TestProofsWithSymbols(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	extents := []string{"2", "3", "4", "M", "K", "2*M", "M*K", "M+1"}
	strides := []string{"0", "1", "2", "4", "M", "K", "M*K", "2*M", "4*K", "lda"}
	along := []string{"1@0", "1@1", "M@0", "2@1", "K@0", "lda@1"}
	pick := func(of []string, n int) string {
		var list []string
		for range n {
			list = append(list, of[random.IntN(len(of))])
		}
		return "(" + strings.Join(list, ",") + ")"
	}
	proved, refuted := map[string]int{}, 0
	for range 1000 {
		n := 1 + random.IntN(3)
		l, m := pick(extents, n)+":"+pick(strides, n), pick(extents, n)+":"+pick(strides, n)
		if random.IntN(4) == 0 {
			l = pick(extents, n) + ":" + pick(along, n)
		}
		if random.IntN(2) == 0 {
			if c, err := dynamic.Coalesce(dynamic.MustParse(l)); err == nil {
				m = c.String()
			}
		}
		for _, claim := range Claims() {
			texts := []string{l, m, m}[:min(len(claim.Params), 2)]
			if claim.Name == "composition" {
				texts = append(texts, m)
			}
			if claim.Name == "covers" {
				texts[1] = pick(extents, 1)
				texts[1] = texts[1][1 : len(texts[1])-1]
			}
			if strings.Contains(l, "@") && claim.Name != "injective" && claim.Name != "equal" {
				continue
			}
			counter, err := claim.Check(texts...)
			if err != nil || counter != "" {
				refuted++
				continue
			}
			proved[claim.Name]++
			names := claim.Symbols(texts)
			for range 5 {
				values := map[string]int{}
				for _, name := range names {
					values[name] = 1 + random.IntN(9)
				}
				with, err := claim.Where(texts, values)
				require.NoError(t, err)
				counter, err = claim.Check(with...)
				require.NoError(t, err, "%v %v", claim.Name, with)
				require.Empty(t, counter, "%s %v with %v: %v", claim.Name, texts, values, with)
			}
		}
	}
	require.NotZero(t, refuted)
	require.Greater(t, len(proved), 8, fmt.Sprint(proved))
}

// Every claim, fact and substitution takes any texts, or refuses them: none panics.
func TestHostileClaims(t *testing.T) {
	texts := []string{
		"4", "-3", "0", "_", "()", "(4,(2,8))", "(1@0,4@1)", "9223372036854775807", "1:0", "():()", "(4,2):(2,1)", "(4,8):(1@0,1@1)", "(3,4):(-4,1)",
		"(2147483648,2147483648):(1,2147483648)", "Sw<2,3,3>", "Sw<2,3,3> o 0 o (8,64):(64,1)", "Sw<1,0,-2> o 4 o 8:1", "", "(", "M", "(M,K)", "(M,K):(K,1)",
		"M:M", "ceil(M/0)", "ceil(7/2)", "M@0:1", "(M,2):(M@0,1)", "-M:1", "M:-M", "\xffM", "M M:1", "9223372036854775808*M:1", "Sw<2,3,3> o M o (8,K):(K,1)",
		"Sw<2,3,3> o -M o (8,K):(K,1)", "Sw<2,3,3> o 0 o (8,K):(1@0,1@1)", "Sw<2,3,3> o o o o:o", "Sw<2,3,3> o 0 o M", "SM o 0 o M:1", "Layout(M,1)",
		"(M,(((M", "M:(1,2)", "(M,K):(9223372036854775807*M,9223372036854775807*K)",
	}
	try := func(what any, f func()) { assert.NotPanics(t, f, fmt.Sprint(what)) }
	values := map[string]int{"M": -9223372036854775808, "K": 9223372036854775807, "o": 0}
	for i, text := range texts {
		try(text, func() { _, _ = Facts(text); _, _ = ParseLayout(text) })
		for k, other := range texts {
			try([]string{text, other}, func() {
				_, _ = PointAtSymbols(text, other)
				_, _ = WhereLayout([]string{text, other}, map[string]int{"M": 4})
				_, _ = WhereLayout([]string{text, other}, values)
			})
			for _, c := range Claims() {
				args := []string{text, other, texts[(3*i+k)%len(texts)]}[:len(c.Params)]
				try(append(args, c.Name), func() { _, _ = c.Check(args...); _, _ = c.Where(args, values) })
			}
		}
	}
}
