package atom

import (
	"fmt"
	"slices"
	"strings"

	"cutegen/algebra"
)

// Copy is one instruction that moves data (CuTe's Copy_Atom with its Copy_Traits).
//
// Src and Dst map (thread, bit) to a bit of the data: bit v of what thread t gives, or gets. Bits are numbered in the order
// of memory where there is one, else in that of the rows of a matrix. Ref is the side by which a tiled copy partitions: the
// registers for ldmatrix and stmatrix, the Tensor Memory for tcgen05.ld and .st.
//
//	SM75_U32x1_LDSM_N   8 rows of 8 values of 16 bits, one row 128 bits
//	Src = ((8,4),128):((128,0),1)   lanes 0 to 7 give the addresses of the rows; the others' are not looked at
//	Dst = (32,32):(32,1)            lane t gets 32 bits: two neighbours of row t/4
type Copy struct {
	Name          string // CuTe's
	Arch          string // the least .target; empty for what every target has
	Instruction   string // PTX, without operands
	Section       string // where the PTX ISA describes it
	ThrID         algebra.Layout
	Src, Dst, Ref algebra.Layout
}

// Copies lists the copy atoms: plain loads and stores, cp.async, ldmatrix, stmatrix, movmatrix, the transpositions by shuffle,
// and tcgen05.ld and .st in all their shapes and repetitions.
func Copies() []Copy {
	return slices.Concat(universal(), asynchronous(), shuffles(), matrices(), bytes(), lanes())
}

// CopyByName finds a copy atom. The error names the atom whose name is nearest.
func CopyByName(name string) (Copy, error) {
	return find("copy atom", Copies(), name, func(c Copy) string { return c.Name })
}

// word is the C++ type of n bits.
func word(n int) string {
	if n == 128 {
		return "cute::uint128_t"
	}
	return fmt.Sprintf("uint%d_t", n)
}

// straight is n bits by one thread, from and to where they are.
func straight(name, arch, instruction, section string, n int) Copy {
	bits := tv(nil, []mode{{n, 1}})
	return Copy{Name: name, Arch: arch, Instruction: instruction, Section: section, ThrID: one(), Src: bits, Dst: bits, Ref: bits}
}

func universal() []Copy {
	const section = "PTX ISA 9.7.9.8" // ld; a copy is an ld and an st
	copies := []Copy{straight("UniversalCopy<cute::uint128_t>", "", "ld.v2.b64", section, 128)}
	for _, n := range []int{8, 16, 32, 64} {
		copies = append(copies, straight("UniversalCopy<"+word(n)+">", "", fmt.Sprintf("ld.b%d", n), section, n))
	}
	return append(copies, straight("SM100_STORE_256bit_CACHE_NOALLOCATION", "sm_100",
		"st.global.L1::no_allocate.v8.f32", "PTX ISA 9.7.9.11", 256))
}

// asynchronous is cp.async: through L1 (.ca) with 4, 8 and 16 bytes, past it (.cg) with 16.
func asynchronous() []Copy {
	const section = "PTX ISA 9.7.9.25.3.1"
	copies := []Copy{straight("SM80_CP_ASYNC_CACHEGLOBAL<"+word(128)+">", "sm_80", "cp.async.cg.shared.global", section, 128)}
	for _, n := range []int{32, 64, 128} {
		copies = append(copies, straight("SM80_CP_ASYNC_CACHEALWAYS<"+word(n)+">", "sm_80", "cp.async.ca.shared.global", section, n))
	}
	return copies
}

// shuffles is 2x2 transpositions of 32-bit values between the lanes t and t^1, or t and t^4: of two values each keeps one and
// exchanges the other.
func shuffles() []Copy {
	src := tv([]mode{{32, 64}}, []mode{{64, 1}})
	shuffle := func(mask int, dst algebra.Layout) Copy {
		return Copy{
			Name: fmt.Sprintf("SM50_Shuffle_U32_2x2Trans_XOR%d", mask), Arch: "sm_50",
			Instruction: "shfl.sync.bfly.b32", Section: "PTX ISA 9.7.9.6",
			ThrID: threads(32), Src: src, Dst: dst, Ref: src,
		}
	}
	return []Copy{
		shuffle(1, tv([]mode{{2, 32}, {16, 128}}, []mode{{32, 1}, {2, 64}})),
		shuffle(4, tv([]mode{{4, 64}, {2, 32}, {4, 512}}, []mode{{32, 1}, {2, 256}})),
	}
}

// The matrix of ldmatrix, stmatrix and movmatrix: 8 rows of 8 values of 16 bits.
const (
	valueBits  = 16
	rowBits    = 8 * valueBits
	matrixBits = 8 * rowBits
)

// addresses is the memory side of n matrices: lane t gives the address of row t. With fewer than 32 rows the lanes above
// them are not looked at, and count as those below.
func addresses(n int) algebra.Layout {
	lanes := []mode{{8 * n, rowBits}}
	if n < 4 {
		lanes = append(lanes, mode{4 / n, 0})
	}
	return tv(lanes, []mode{{rowBits, 1}})
}

// rows is the register side of n matrices: lane t holds values 2*(t%4) and 2*(t%4)+1 of row t/4, of each matrix in a register.
func rows(n int) algebra.Layout {
	return tv([]mode{{32, 32}}, repeated([]mode{{32, 1}}, n, matrixBits))
}

// columns is the register side of n transposed matrices: lane t holds values 2*(t%4) and 2*(t%4)+1 of column t/4.
func columns(n int) algebra.Layout {
	return tv([]mode{{4, 2 * rowBits}, {8, valueBits}}, repeated([]mode{{valueBits, 1}, {2, rowBits}}, n, matrixBits))
}

// repeated appends n steps, unless it is one.
func repeated(modes []mode, n, step int) []mode {
	if n == 1 {
		return modes
	}
	return append(modes, mode{n, step})
}

// matrices is ldmatrix, stmatrix and movmatrix on 16-bit values. Loads to 8 bits from 4 and 6 bits (sm_100a) have the same
// layouts: there a row is 16 values, padded to 128 bits.
func matrices() []Copy {
	const load, store, move = "PTX ISA 9.7.14.5.15", "PTX ISA 9.7.14.5.16", "PTX ISA 9.7.14.5.17"
	var copies []Copy
	for _, n := range []int{1, 2, 4} {
		for _, side := range []struct {
			name, trans string
			registers   algebra.Layout
		}{
			{fmt.Sprintf("U32x%d_%%s_N", n), "", rows(n)},
			{fmt.Sprintf("U16x%d_%%s_T", 2*n), ".trans", columns(n)},
		} {
			copies = append(copies, Copy{
				Name: "SM75_" + fmt.Sprintf(side.name, "LDSM"), Arch: "sm_75",
				Instruction: fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16", n, side.trans), Section: load,
				ThrID: threads(32), Src: addresses(n), Dst: side.registers, Ref: side.registers,
			}, Copy{
				Name: "SM90_" + fmt.Sprintf(side.name, "STSM"), Arch: "sm_90",
				Instruction: fmt.Sprintf("stmatrix.sync.aligned.m8n8.x%d%s.shared.b16", n, side.trans), Section: store,
				ThrID: threads(32), Src: side.registers, Dst: addresses(n), Ref: side.registers,
			})
		}
		for _, from := range []struct{ bits, pad int }{{4, 64}, {6, 32}} {
			copies = append(copies, Copy{
				Name: fmt.Sprintf("SM100_SU%d_DU8x16_x%d_LDSM_N", from.bits, n), Arch: "sm_100a",
				Instruction: fmt.Sprintf("ldmatrix.sync.aligned.m8n16.x%d.shared.b8x16.b%dx16_p%d", n, from.bits, from.pad), Section: load,
				ThrID: threads(32), Src: addresses(n), Dst: rows(n), Ref: rows(n),
			})
		}
	}
	return append(copies, Copy{
		Name: "SM75_U32x1_MOVM_T", Arch: "sm_75",
		Instruction: "movmatrix.sync.aligned.m8n8.trans.b16", Section: move,
		ThrID: threads(32), Src: rows(1), Dst: columns(1), Ref: columns(1),
	})
}
