package dynamic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A quotient of a product of a sum repeats what is inside it once a term: without a bound its text would have 31 times the length
// at each level.
func TestNestedQuotientsAreBounded(t *testing.T) {
	terms := make([]string, 31)
	for i := range terms {
		terms[i] = fmt.Sprintf("b%d", i)
	}
	nested := "M"
	start := time.Now()
	for range 8 {
		nested = "ceil(((" + nested + "+1)*(" + strings.Join(terms, "+") + ")+K)/2)"
		if n, err := ParseInt(nested); err == nil {
			require.LessOrEqual(t, len(n.String()), maxText)
		} else {
			require.ErrorContains(t, err, "a quotient longer than 512 bytes")
		}
	}
	require.Less(t, time.Since(start), time.Second)
}

func TestQuotientOfTheBound(t *testing.T) {
	name := strings.Repeat("m", 62)
	factors := []string{name, name + "1", name + "2", name + "3", name + "4", name + "5", name + "6"}
	num := strings.Join(factors, "*")
	pad := strings.Repeat("9", maxText-len("ceil(/)")-len(num))
	require.Less(t, len(pad), 65)
	longest := "ceil(" + num + "/" + "n" + pad[1:] + ")"
	n, err := ParseInt(longest)
	require.NoError(t, err)
	require.Len(t, n.String(), maxText)
	_, err = ParseInt("ceil(" + num + "1/" + "n" + pad[1:] + ")")
	require.ErrorContains(t, err, "a quotient longer than 512 bytes")
}

func TestOverflowIsAnError(t *testing.T) {
	big := "9223372036854775807"
	for _, text := range []string{big + "*M+M", big + "*M*2", "M*" + big + "*" + big, "(" + big + "*M,2):(1,0)"} {
		_, err := ParseInt(text)
		if strings.Contains(text, ":") {
			l, lErr := Parse(text)
			require.NoError(t, lErr)
			_, err = Coalesce(l)
			require.NoError(t, err)
			err = l.Size().err
		}
		require.ErrorContains(t, err, "does not fit in 64 bits", text)
	}
	_, err := MustParse("M:" + big).With(map[string]Int{"M": Const(2)})
	require.NoError(t, err)
	l, err := MustParse("M:" + big).With(map[string]Int{"M": Const(3)})
	require.NoError(t, err)
	_, err = l.Cosize()
	require.ErrorContains(t, err, "does not fit in 64 bits")
}

// FuzzParse: what is read prints as what is read again, and nothing takes long.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"(M,K):(1,lda)", "((128,ceil(M/128)),K):((1,128),lda)", "(M,K):(1@0,lda@1)", "Layout((M,8),(8,1))",
		"ceil((M+7)/8):-lda", "(M-1):1", "8*(m+1):_2", "(M,):(1,)", "():()", "<128,[8;_]>", "(M,K", "M:M@64", "1*2*M:ceil(1/0)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		if l, err := Parse(text); err == nil {
			again, err := Parse(l.String())
			require.NoError(t, err)
			require.True(t, l.Equal(again), "%v and %v", l, again)
			_, _ = Coalesce(l)
			_, _ = RightInverse(l)
			_, _ = LeftInverse(l)
			_, _ = Composition(l, l)
		}
		if tiler, err := ParseTiler(text); err == nil {
			again, err := ParseTiler(tiler.String())
			require.NoError(t, err)
			require.Equal(t, tiler.String(), again.String())
		}
		if c, err := ParseCoord(text); err == nil {
			again, err := ParseCoord(c.String())
			require.NoError(t, err)
			require.Equal(t, c.String(), again.String())
		}
		require.Less(t, time.Since(start), time.Second)
	})
}
