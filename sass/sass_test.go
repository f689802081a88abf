package sass

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The files under testdata are what nvcc 13.0.88, cuobjdump and nvdisasm 13.2.86 make of the sources there:
//
//	nvcc -O3 -gencode arch=compute_90a,code=sm_90a -cubin dot.cu     (dot-sm_100a: for sm_100a; spill: -maxrregcount 24)
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

func parse(t *testing.T, text string) Kernel {
	t.Helper()
	k, err := Parse(text)
	require.NoError(t, err)
	return k
}

func TestCountOfWholeKernelAndMainLoop(t *testing.T) {
	k := parse(t, read(t, "dot.sass"))
	assert.Equal(t, "dot", k.Name)
	// 0x0000 to EXIT at 0x02c0, 16 bytes each; the padding behind it does not count.
	assert.Equal(t, Counts{
		Total: 0x2c + 1,
		ByClass: map[Class]int{
			FFMA: 2, IMAD: 9, IADD3: 4, LEA: 5, LOP3: 1, SHF: 2, LDS: 1, LDG: 1, STS: 1, STG: 1, BAR: 2, Other: 16,
		},
		ByWidth: map[string]int{"LDG.128": 1, "STS.128": 1, "LDS.128": 1, "STG.32": 1},
	}, Count(k.Code))

	loop := k.MainLoop()
	require.NotEmpty(t, loop)
	assert.Equal(t, 0x140, loop[0].Address)
	assert.Equal(t, 0x230, loop[len(loop)-1].Address)
	assert.Equal(t, Counts{
		Total:   16,
		ByClass: map[Class]int{FFMA: 2, IMAD: 2, IADD3: 2, LEA: 1, LOP3: 1, LDS: 1, LDG: 1, STS: 1, BAR: 2, Other: 3},
		ByWidth: map[string]int{"LDG.128": 1, "STS.128": 1, "LDS.128": 1},
	}, Count(loop))
	assert.Zero(t, Count(loop).Spills())
}

func TestNvdisasmGivesTheSameAsCuobjdump(t *testing.T) {
	assert.Equal(t, parse(t, read(t, "dot.sass")), parse(t, read(t, "dot.nvdisasm")))
}

// Blackwell branches by a uniform predicate: BRA.U UP0, 0x130.
func TestMainLoopOfUniformBranch(t *testing.T) {
	loop := parse(t, read(t, "dot-sm_100a.sass")).MainLoop()
	require.NotEmpty(t, loop)
	assert.Equal(t, 0x130, loop[0].Address)
	assert.Equal(t, "BRA.U", loop[len(loop)-1].Opcode)
	assert.Equal(t, 2, Count(loop).ByClass[FFMA])
}

func TestSpills(t *testing.T) {
	c := Count(parse(t, read(t, "spill.sass")).Code)
	assert.Equal(t, 10, c.Spills())
	assert.Equal(t, strings.Count(read(t, "spill.sass"), " LDL"), c.ByClass[LDL])
	assert.Equal(t, strings.Count(read(t, "spill.sass"), " STL"), c.ByClass[STL])
}

// code is a disassembly of lines, 16 bytes apart.
func code(lines ...string) string {
	var b strings.Builder
	b.WriteString("\t\tFunction : k\n")
	for i, line := range lines {
		fmt.Fprintf(&b, "        /*%04x*/   %s ;   /* 0x000000ff00017b82 */\n", 16*i, line)
		fmt.Fprintln(&b, "                                /* 0x000fe20000000800 */")
	}
	return b.String()
}

func TestMainLoopIsTheBackwardBranchWithMostFFMA(t *testing.T) {
	k := parse(t, code(
		"MOV R1, R2",          //                 0x00
		"FFMA R1, R2, R3, R4", //        0x10  outer loop starts
		"FFMA R1, R2, R3, R4", //        0x20  inner loop: two FFMAs
		"FFMA R1, R2, R3, R4", //        0x30
		"@P0 BRA 0x20",        //               0x40
		"@!P1 BRA P0, 0x70",   //          0x50  forward: no loop
		"BRA 0x10",            //                   0x60  outer: all three
		"LDS R1, [R2]",        //               0x70
		"@UP0 BRA 0x70",       //              0x80  a loop without FFMA
		"@P1 BRA 0x0",         //                0x90  around everything: no more FFMAs than outer, and longer
		"EXIT"))
	loop := k.MainLoop()
	require.NotEmpty(t, loop)
	assert.Equal(t, []int{0x10, 0x60}, []int{loop[0].Address, loop[len(loop)-1].Address})
}

func TestNoMainLoopWithoutFFMA(t *testing.T) {
	for name, lines := range map[string][]string{
		"straight":     {"FFMA R1, R2, R3, R4", "EXIT"},
		"copies":       {"LDG.E R1, [R2]", "STG.E [R3], R1", "@P0 BRA 0x0", "EXIT"},
		"padding only": {"FFMA R1, R2, R3, R4", "EXIT", "BRA 0x20", "NOP", "NOP"},
		"forward only": {"BRA 0x20", "FFMA R1, R2, R3, R4", "EXIT"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Nil(t, parse(t, code(lines...)).MainLoop())
		})
	}
}

func TestPaddingIsNotCode(t *testing.T) {
	k := parse(t, code("NOP", "EXIT", "BRA 0x20", "NOP", "NOP"))
	assert.Equal(t, []Instruction{{0, "NOP", noTarget}, {16, "EXIT", noTarget}}, k.Code, "a NOP before the end is code")
}

func TestClass(t *testing.T) {
	for opcode, want := range map[string]Class{
		"FFMA": FFMA, "FFMA.FTZ": FFMA, "FFMA2": FFMA, "FMUL": Other, "HFMA2.MMA": Other,
		"IMAD": IMAD, "IMAD.WIDE": IMAD, "IMAD.WIDE.U32": IMAD, "IMAD.MOV.U32": IMAD, "UIMAD": IMAD,
		"IADD3": IADD3, "IADD3.X": IADD3, "IADD.64": IADD3, "VIADD": IADD3, "UIADD3": IADD3, "UIADD3.64": IADD3,
		"LEA": LEA, "LEA.HI.X": LEA, "ULEA": LEA,
		"LOP3.LUT": LOP3, "ULOP3.LUT": LOP3, "PLOP3.LUT": Other,
		"SHF.R.S32.HI": SHF, "USHF.L.U32": SHF,
		"LDS.128": LDS, "LDSM.16.M88.4": Other, "LDG.E.128.CONSTANT": LDG, "LDGSTS.E.BYPASS.128": Other, "LDGDEPBAR": Other,
		"STS": STS, "STG.E.EF.128": STG, "LDL.LU": LDL, "STL.64": STL,
		"BAR.SYNC.DEFER_BLOCKING": BAR, "BSYNC": Other, "BRA": Other, "LDC": Other, "NOP": Other,
	} {
		assert.Equal(t, want, Instruction{Opcode: opcode}.Class(), opcode)
	}
}

func TestClassesListsEachOnce(t *testing.T) {
	listed := map[Class]bool{}
	for _, c := range Classes() {
		assert.False(t, listed[c], c)
		listed[c] = true
	}
	for opcode, c := range classes {
		assert.True(t, listed[c], opcode)
	}
}

func TestWidth(t *testing.T) {
	for opcode, want := range map[string]int{
		"LDS": 32, "LDS.64": 64, "LDS.128": 128, "LDS.U8": 8, "LDS.S16": 16,
		"LDG.E": 32, "LDG.E.CONSTANT": 32, "LDG.E.128.CONSTANT": 128, "LDG.E.LTC128B.64": 64, "LDG.E.ENL2.256": 256,
		"STS.128": 128, "STG.E.U8": 8, "STG.E.EF.128": 128, "LDL.LU": 32, "STL.64": 64,
		"IADD.64": 0, "LDC.64": 0, "FFMA": 0,
	} {
		assert.Equal(t, want, Instruction{Opcode: opcode}.Width(), opcode)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no text":             {"", "no kernel's code in the text"},
		"other text":          {"cuobjdump fatal: no such file", `starts "cuobjdump fatal: no such file": want what cuobjdump -sass`},
		"no code":             {"\t\tFunction : k\n", "no kernel's code"},
		"two kernels":         {code("EXIT") + strings.Replace(code("EXIT"), " k\n", " l\n", 1), "line 4: a second kernel, l, after k"},
		"not an instruction":  {code("EXIT", "{ FFMA"), `line 4: want an instruction behind /*0010*/, got "{ FFMA ;`},
		"branch to nowhere":   {code("BRA R2"), "line 2: want a branch to an address or a label"},
		"branch to no label":  {code("BRA `(.L_x_9)", "EXIT"), "the branch at 0x0 goes to .L_x_9, which labels no instruction"},
		"label with no place": {code("BRA `(.L_x_9)") + ".L_x_9:\n", "labels no instruction"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.text)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestParseResources(t *testing.T) {
	// The tile of dot has 512 bytes.
	r, err := ParseResources(read(t, "dot.res-usage"))
	require.NoError(t, err)
	assert.Equal(t, Resources{Registers: 22, Shared: 512 + 1024}, r)

	r, err = ParseResources(read(t, "spill.res-usage"))
	require.NoError(t, err)
	assert.Equal(t, Resources{Registers: 24, Stack: 32}, r)
}

func TestParseResourcesRefuses(t *testing.T) {
	one := read(t, "dot.res-usage")
	for name, c := range map[string]struct{ text, want string }{
		"no text":     {"", "of 0 kernels"},
		"two kernels": {one + one, "of 2 kernels"},
		"no field":    {strings.Replace(one, "REG:22 ", "", 1), "resource usage of dot has no REG"},
		"too large":   {strings.Replace(one, "REG:22", "REG:99999999999999999999", 1), "resource usage of dot: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseResources(c.text)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
