package notation_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/algebra"
	"cutegen/algebra/dynamic"
	"cutegen/algebra/notation"
	"cutegen/internal/golden"
)

// values are texts of values of each kind. What they are in each notation is in testdata, one file a notation.
var values = []string{
	"tuple 4", "tuple -4", "tuple (4)", "tuple ()", "tuple (4,(2,8))", "tuple (3,_)", "tuple (1@0,4@1,2@1@0)", "tuple (65536,65536)",
	"layout 8:1", "layout (8):(1)", "layout ():()", "layout (4,8):(1,4)", "layout ((2,2),3):((24,2),8)", "layout (4,8):(1@0,4@1)",
	"layout (4,8):(1@1@0,-1@1)", "layout (4,4):(1,-4)", "layout (2,3):(0,1)", "layout 3:4294967296", "layout (65536,65536):(1,65536)", "layout (4,4):(1,5)",
	"layout (4,4):(3,16)", "layout (4,4):(5,2)", "layout (2,4):(1,1073741824)",
	"composed Sw<2,3,3> o 0 o (8,64):(64,1)", "composed Sw<2,3,3> o 8 o (8,64):(64,1)", "composed Sw<0,4,3> o 8 o 4:1", "composed Sw<0,4,0> o 8 o 4:1",
	"composed Sw<1,0,-2> o 0 o (4,4):(4,1)", "composed Sw<2,3,3> o 0 o (8,48):(48,1)", "composed Sw<2,28,3> o 0 o 8:1", "composed (4,8):(8,1)",
	"tiler (4:1,8)", "tiler (4:1,_)", "tiler (4:1,(_,2:2))", "tiler (4:1)",
	"swizzle Sw<3,4,3>", "swizzle Sw<0,4,0>", "swizzle Sw<2,3,-3>", "swizzle Sw<3,28,3>",
	// (thread,value): blocked by rows, by columns, with values first, with a repeated block, rank 1 and rank 3.
	"layout ((8,4),(4,1)):((4@1,1@0),(1@1,0))", "layout ((32,4),(4,2)):((4@0,1@1),(1@0,4@1))", "layout ((4,8),(2,4)):((2@1,4@0),(1@1,1@0))",
	"layout ((8,4,2,2),(4,2,2)):((4@1,1@0,4@0,8@0),(1@1,32@1,16@0))", "layout (128,4):(4,1)", "layout (128,4):(1,128)",
	"layout ((2,16,2),(2,2)):((1@2,1@1,1@0),(2@0,2@2))",
	// Registers in an order that no blocked layout has, threads that share, an MMA fragment.
	"layout ((8,4),(2,2,2)):((2@1,2@0),(1@0,1@1,16@1))", "layout ((8,4),(2,2)):((2@1,2@0),(16@1,8@0))", "layout ((8,4),(2)):((1@1,0),(1@0))", "layout ((4,8),(2,2)):((32,1),(16,8))",
	// No layout of Triton.
	"layout (16,2):(1@0,1@1)", "layout (48,2):(1,64)", "layout (96,2):(1,128)", "layout (2048,2):(1,2048)", "layout (32,3):(1,32)", "layout (32,2):(2,64)", "layout (32,2):(1@0,64@0)", "layout 32:1", "layout (32,65536):(1,32)",
	// Sizes known at run time, and layouts that begin at an offset.
	"symbols (M,8):(lda,1)", "symbols ((128,ceil(M/128)),K):((1,128),lda)", "symbols M:2*(lda+1)", "symbols (8*m,M*K+1):(1@0,-lda@1)",
	"symbols (M,K):(2*lda@0,lda+1@1@1)", "symbols (ceil((M+7)/8),ceil(ceil(M/4)/(4*n))):(1,4294967296)", "symbols (int,4):(1,lambda)", "symbols (C,E,Int):(1,C,E*C)",
	"symbols (M,()):(1,())", "symbols (M):(E@0)", "symbols (M,3):(1@0,E*1@0@1)",
	"swizzled Sw<2,3,3> o 8*k o (8*m,64):(64,1)", "swizzled Sw<2,28,3> o 0 o (m,64):(64,1)", "int 8*m+1", "int ceil(M/128)", "int -M", "coord (4,(i,_))",
	"pair (8):(1) at 16", "pair (M):(lda) at 8*k", "pair (8):(1@1) at (2,0)", "pair Sw<2,3,3> o 0 o (8,64):(64,1) at 0",
}

func parse(t *testing.T, text string) notation.Value {
	t.Helper()
	kind, text, _ := strings.Cut(text, " ")
	var v notation.Value
	var err error
	switch kind {
	case "tuple":
		v, err = algebra.ParseTuple(text)
	case "layout":
		v, err = algebra.ParseLayout(text)
	case "composed":
		v, err = algebra.ParseComposed(text)
	case "tiler":
		v, err = algebra.ParseTiler(text)
	case "swizzle":
		v, err = algebra.ParseSwizzle(text)
	case "symbols":
		v, err = dynamic.Parse(text)
	case "int":
		v, err = dynamic.ParseInt(text)
	case "coord":
		v, err = dynamic.ParseCoord(text)
	case "swizzled":
		parts := strings.SplitN(text, " o ", 3)
		offset, ofOffset := dynamic.ParseInt(parts[1])
		require.NoError(t, ofOffset)
		s, ofSwizzle := algebra.ParseSwizzle(parts[0])
		require.NoError(t, ofSwizzle)
		v, err = notation.Swizzled{Swizzle: s, Offset: offset, Layout: dynamic.MustParse(parts[2])}, nil
	case "pair":
		l, at, _ := strings.Cut(text, " at ")
		p := notation.Pair{}
		if strings.Contains(l, "M") {
			p.Layout = dynamic.MustParse(l)
			p.Offset, err = dynamic.ParseCoord(at)
		} else {
			if p.Layout, err = algebra.ParseLayout(l); err != nil {
				p.Layout, err = algebra.ParseComposed(l)
			}
			require.NoError(t, err, text)
			p.Offset, err = algebra.ParseTuple(at)
		}
		v = p
	}
	require.NoError(t, err, text)
	require.NotNil(t, v, text)
	return v
}

func TestGolden(t *testing.T) {
	for _, n := range notation.All() {
		t.Run(n.Name, func(t *testing.T) {
			var b strings.Builder
			for _, text := range values {
				got, err := n.Write(parse(t, text))
				if err != nil {
					assert.Empty(t, got)
					got = "error: " + err.Error()
				}
				fmt.Fprintf(&b, "%s\n    %s\n", text, got)
			}
			golden.Equal(t, filepath.Join("testdata", n.Name+".txt"), b.String())
		})
	}
}
