package emit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cutegen/emit/cexpr"
)

// simplifies checks an expression's text and range, and its value at every point of its variables' ranges against want, which is
// written without this package.
func simplifies(t *testing.T, e Expr, text string, want func(env map[string]int) int) {
	t.Helper()
	assert.Equal(t, text, e.String())
	vars := map[string]*atom{}
	e.visit(func(a *atom) {
		if a.kind == variable || a.kind == parameter {
			vars[a.name] = a
		}
	})
	for _, name := range []string{"t", "u"} {
		if vars[name] == nil {
			vars[name] = &atom{name: name, lo: 0, hi: most(name)}
		}
	}
	lo, hi := e.Range()
	for x := range vars["t"].hi + 1 {
		for y := range vars["u"].hi + 1 {
			env := map[string]int{"t": x, "u": y, "ld": 1000}
			got := e.Eval(env)
			require.Equal(t, want(env), got, "at %v", env)
			require.True(t, lo <= got && got <= hi, "%d outside [%d,%d] at %v", got, lo, hi, env)
		}
	}
}

func most(name string) int { return map[string]int{"t": 255, "u": 6}[name] }

var (
	vt = Var("t", 0, 255)
	vu = Var("u", 0, 6)
)

// Each rule of fold.go on both sides of its condition.
func TestRules(t *testing.T) {
	type env = map[string]int
	for _, c := range []struct {
		rule int
		e    Expr
		text string
		want func(env) int
	}{
		{1, Div(Add(Scale(8, vt), vu), 8), "t", func(e env) int { return (8*e["t"] + e["u"]) / 8 }},
		{1, Div(Add(Scale(6, vt), vu), 6), "t + u / 6", func(e env) int { return (6*e["t"] + e["u"]) / 6 }},
		{1, Div(Add(Scale(8, vt), Const(8), Scale(-1, vu)), 8), "(t * 8 - u + 8) >> 3", func(e env) int { return (8*e["t"] + 8 - e["u"]) / 8 }},
		{2, Mod(Add(Scale(8, vt), vu), 8), "u", func(e env) int { return e["u"] }},
		{2, Mod(Add(Scale(6, vt), vu), 6), "u % 6", func(e env) int { return e["u"] % 6 }},
		{2, Mod(Add(vu, Const(16)), 8), "u", func(e env) int { return e["u"] }},
		{2, Mod(Add(vu, Const(17)), 8), "u + 1", func(e env) int { return e["u"] + 1 }},
		{2, Mod(Add(vu, Const(18)), 8), "(u + 2) & 7", func(e env) int { return (e["u"] + 2) % 8 }},
		{3, Div(Div(vt, 4), 8), "t >> 5", func(e env) int { return e["t"] / 32 }},
		{3, Div(Div(vt, 3), 5), "t / 15", func(e env) int { return e["t"] / 15 }},
		{4, Mod(Mod(vt, 32), 8), "t & 7", func(e env) int { return e["t"] % 8 }},
		{4, Mod(Mod(vt, 12), 8), "(t % 12) & 7", func(e env) int { return e["t"] % 12 % 8 }},
		{5, Div(Mod(vt, 32), 8), "(t >> 3) & 3", func(e env) int { return e["t"] % 32 / 8 }},
		{5, Div(Mod(vt, 30), 8), "(t % 30) >> 3", func(e env) int { return e["t"] % 30 / 8 }},
		{6, Div(Add(Scale(4, vt), Mod(vu, 4)), 32), "t >> 3", func(e env) int { return (4*e["t"] + e["u"]%4) / 32 }},
		{6, Div(Add(Scale(4, vt), vu), 32), "(u + t * 4) >> 5", func(e env) int { return (4*e["t"] + e["u"]) / 32 }},
		{7, Mod(Scale(4, vt), 32), "(t & 7) * 4", func(e env) int { return 4 * e["t"] % 32 }},
		{8, Add(Mod(vt, 8), Scale(8, Div(vt, 8))), "t", func(e env) int { return e["t"] }},
		{8, Add(Mod(vt, 8), Scale(16, Div(vt, 8))), "(t & 7) + (t >> 3) * 16", func(e env) int { return e["t"]%8 + 16*(e["t"]/8) }},
		{9, Add(Mod(vt, 8), Scale(8, Mod(Div(vt, 8), 4))), "t & 31", func(e env) int { return e["t"] % 32 }},
		{9, Add(Mod(vt, 8), Scale(8, Mod(Div(vt, 16), 4))), "((t >> 4) & 3) * 8 + (t & 7)", func(e env) int { return e["t"]%8 + 8*(e["t"]/16%4) }},
		{9, Add(Mod(vt, 8), Scale(16, Mod(Div(vt, 8), 4))), "((t >> 3) & 3) * 16 + (t & 7)", func(e env) int { return e["t"]%8 + 16*(e["t"]/8%4) }},
		{10, Xor(Div(Xor(Scale(4, vt), Scale(12, vu)), 8), Const(1)), "(((u * 12) ^ (t * 4)) >> 3) ^ 1",
			func(e env) int { return (4*e["t"]^12*e["u"])/8 ^ 1 }},
		{10, Xor(Xor(Scale(4, vt), Scale(12, vu)), Const(512)), "((u * 12) ^ (t * 4)) ^ 512",
			func(e env) int { return 4*e["t"] ^ 12*e["u"] ^ 512 }},
		{10, Xor(Xor(Scale(4, vt), Scale(12, vu)), Const(1024)), "((u * 12) ^ (t * 4)) + 1024",
			func(e env) int { return 4*e["t"] ^ 12*e["u"] ^ 1024 }},
		{10, Xor(Scale(8, vt), vu), "u + t * 8", func(e env) int { return 8*e["t"] ^ e["u"] }},
		{10, Xor(Scale(4, vt), vu), "u ^ (t * 4)", func(e env) int { return 4*e["t"] ^ e["u"] }},
		{11, Xor(Add(Scale(16, vt), Const(3)), vu), "(u ^ 3) + t * 16", func(e env) int { return (16*e["t"] + 3) ^ e["u"] }},
		{11, Xor(Add(Scale(4, vt), Const(3)), vu), "u ^ (t * 4 + 3)", func(e env) int { return (4*e["t"] + 3) ^ e["u"] }},
		{11, Xor(Add(vu, Const(8)), Const(16)), "u + 24", func(e env) int { return (e["u"] + 8) ^ 16 }},
		{11, Xor(Add(vu, Const(40)), Mod(vt, 16)), "((t & 15) ^ (u + 8)) + 32", func(e env) int { return (e["u"] + 40) ^ e["t"]%16 }},
		{10, Xor(vt, vt), "0", func(env) int { return 0 }},
		{10, Xor(Add(Scale(16, vt), Const(8)), vu), "u + t * 16 + 8", func(e env) int { return (16*e["t"] + 8) ^ e["u"] }},
	} {
		t.Run(fmt.Sprintf("rule%d/%s", c.rule, c.e), func(t *testing.T) { simplifies(t, c.e, c.text, c.want) })
	}
}

// 6t mod 32 has content 2 with 32: it folds to 2 * (3t mod 16), no further.
func TestModKeepsOddFactors(t *testing.T) {
	simplifies(t, Mod(Scale(6, vt), 32), "((t * 3) & 15) * 2", func(e map[string]int) int { return 6 * e["t"] % 32 })
}

// A remainder of values between two multiples is a difference.
func TestModBetweenMultiples(t *testing.T) {
	v := Var("v", 17, 22)
	e := Mod(v, 8)
	assert.Equal(t, "v - 16", e.String())
	assert.Equal(t, 3, e.Eval(map[string]int{"v": 19}))
	assert.Equal(t, "v & 7", Mod(Var("v", 17, 24), 8).String())
}

func TestProductsStayApart(t *testing.T) {
	ld := Param("ld", 0, 1<<20)
	e := Add(Mul(Add(Const(16), Div(vt, 16)), ld), Scale(4, Mod(vt, 16)))
	simplifies(t, e, "((t >> 4) + 16) * ld + (t & 15) * 4", func(e map[string]int) int { return (16+e["t"]/16)*e["ld"] + 4*(e["t"]%16) })
	assert.Equal(t, "((t >> 4) + 16) * (long long)ld + (t & 15) * 4", e.Wide())
	assert.Equal(t, "ld", Mul(Const(1), ld).String())
	assert.Equal(t, "(long long)t", vt.Wide())
	assert.Equal(t, "p + 64 * ld", Plus("p", Mul(Const(64), ld)))
	assert.Equal(t, "p", Plus("p", Expr{}))
	assert.Equal(t, "p + (u ^ (t * 3))", Plus("p", Xor(Scale(3, vt), vu)))
	assert.Equal(t, "-t + 3", Add(Const(3), Scale(-1, vt)).String())
}

func TestFits32(t *testing.T) {
	ld := Param("ld", 0, 1<<31-1)
	assert.NoError(t, Const(1<<31-1).Fits32(false))
	assert.EqualError(t, Const(1<<31).Fits32(false), "2147483648 may reach [2147483648, 2147483648], which 32 bits do not hold")
	assert.NoError(t, Mul(vt, ld).Fits32(true))
	assert.ErrorContains(t, Mul(vt, ld).Fits32(false), "t * ld may reach [0, 547608329985]")
	assert.ErrorContains(t, Scale(1<<24, vt).Fits32(true), "t * 16777216 may reach")
	assert.ErrorContains(t, Mod(Scale(1<<24, Add(vt, Const(1))), 3).Fits32(true), "which 32 bits do not hold")
}

// What the builders are never given: each is a mistake of the caller and says so.
func TestBrokenInvariantsPanic(t *testing.T) {
	for _, f := range []func(){
		func() { Div(Scale(-1, vt), 2) },
		func() { Mod(vt, 0) },
		func() { Xor(Add(vt, Const(-1)), vu) },
		func() { Mul(vt, vu) },
		func() { Var("x", 1, 0) },
		func() { vt.Eval(nil) },
	} {
		func() {
			defer func() { assert.Contains(t, fmt.Sprint(recover()), "bug: ") }()
			f()
		}()
	}
}

// Random expressions, built and evaluated in step with plain integers.
func FuzzFold(f *testing.F) {
	f.Add([]byte{0, 4, 8, 3, 7, 1, 2, 9})
	f.Add([]byte{7, 7, 2, 250, 4, 16, 6, 3, 0, 11, 5, 32})
	f.Fuzz(func(t *testing.T, program []byte) {
		type value struct {
			e Expr
			f func(x, y int) int
		}
		constant := func(n int) value { return value{Const(n), func(int, int) int { return n }} }
		stack := []value{
			{vt, func(x, _ int) int { return x }},
			{vu, func(_, y int) int { return y }},
		}
		for i := 0; i+1 < len(program) && i < 24; i += 2 {
			a := stack[len(stack)-1]
			b := stack[int(program[i+1])%len(stack)]
			n := int(program[i+1])%40 + 1
			if _, hi := a.e.Range(); hi > 1<<20 {
				break
			}
			var v value
			switch program[i] % 7 {
			case 0:
				v = value{Add(a.e, b.e), func(x, y int) int { return a.f(x, y) + b.f(x, y) }}
			case 1:
				v = value{Scale(n, a.e), func(x, y int) int { return n * a.f(x, y) }}
			case 2:
				v = value{Div(a.e, n), func(x, y int) int { return a.f(x, y) / n }}
			case 3:
				v = value{Mod(a.e, n), func(x, y int) int { return a.f(x, y) % n }}
			case 4:
				v = value{Xor(a.e, b.e), func(x, y int) int { return a.f(x, y) ^ b.f(x, y) }}
			case 5:
				v = constant(n)
			case 6:
				v = value{Add(a.e, Const(n)), func(x, y int) int { return a.f(x, y) + n }}
			}
			stack = append(stack, v)
		}
		last := stack[len(stack)-1]
		lo, hi := last.e.Range()
		// The text is read back by a judge that knows nothing of Expr: as it is, and as it stands in an address, times a parameter.
		ld := Param("ld", 0, 1<<20)
		texts := map[string]int{Add(Mul(last.e, ld), last.e).Wide(): 1}
		if last.e.Fits32(false) == nil {
			texts[last.e.String()], texts[Scale(-1, last.e).String()] = 0, 2
		}
		printed := map[string]*cexpr.Expr{}
		for text := range texts {
			c, err := cexpr.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			printed[text] = c
		}
		for x := 0; x <= 255; x += 3 {
			for y := 0; y <= 6; y++ {
				got := last.e.Eval(map[string]int{"t": x, "u": y})
				if want := last.f(x, y); got != want || got < lo || got > hi {
					t.Fatalf("%s = %d at t=%d u=%d, want %d in [%d,%d]", last.e, got, x, y, want, lo, hi)
				}
				for text, factor := range texts {
					want := []int{got, got*1000 + got, -got}[factor]
					n, err := printed[text].Eval(map[string]int{"t": x, "u": y, "ld": 1000})
					if err != nil || n != want {
						t.Fatalf("C expression %s = %d, %v at t=%d u=%d, want %d", text, n, err, x, y, want)
					}
				}
			}
		}
	})
}
