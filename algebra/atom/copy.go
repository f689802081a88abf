package atom

import (
	"fmt"
	"slices"
	"sync"

	"cutegen/algebra"
)

// Copy is one instruction that moves data (CuTe's Copy_Atom with its Copy_Traits).
//
// Src and Dst map (thread, bit) to a bit of the data: bit v of what thread t gives, or gets. The data are numbered by rows:
// of the matrices, of the lanes of Tensor Memory, of the threads. Ref is the side by which a tiled copy partitions: the
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
// tcgen05.ld and .st in all their shapes and repetitions, and tcgen05.cp.
func Copies() []Copy { return slices.Clone(copies()) }

var copies = sync.OnceValue(func() []Copy {
	return slices.Concat(universal(), asynchronous(), shuffles(), matrices(), byteMatrices(), tensorMemoryCopies(), tensorMemoryFills())
})

// CopyByName finds a copy atom. The error names the atom whose name is nearest.
func CopyByName(name string) (Copy, error) {
	return find("copy atom", copies(), name, func(c Copy) string { return c.Name })
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

// rowFragments is the register side of n matrices: lane t holds values 2*(t%4) and 2*(t%4)+1 of row t/4, of each matrix in a register.
func rowFragments(n int) algebra.Layout {
	return tv([]mode{{32, 32}}, repeated([]mode{{32, 1}}, n, matrixBits))
}

// columnFragments is the register side of n transposed matrices: lane t holds values 2*(t%4) and 2*(t%4)+1 of column t/4.
func columnFragments(n int) algebra.Layout {
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
			{fmt.Sprintf("U32x%d_%%s_N", n), "", rowFragments(n)},
			{fmt.Sprintf("U16x%d_%%s_T", 2*n), ".trans", columnFragments(n)},
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
				ThrID: threads(32), Src: addresses(n), Dst: rowFragments(n), Ref: rowFragments(n),
			})
		}
	}
	return append(copies, Copy{
		Name: "SM75_U32x1_MOVM_T", Arch: "sm_75",
		Instruction: "movmatrix.sync.aligned.m8n8.trans.b16", Section: move,
		ThrID: threads(32), Src: rowFragments(1), Dst: columnFragments(1), Ref: columnFragments(1),
	})
}

// byteMatrices is ldmatrix and stmatrix on matrices of 8-bit values (sm_100a). The load exchanges the inner bytes of each two
// registers behind the instruction, as CuTe does, so that its fragment is that of two stores.
//
// A line is 16 values = 128 bits. Lane t of the load gives the address of line 2*(t/4) + t%2, and 8 more if t%4 >= 2; so lane
// 4*c+r gets values 2r and 2r+1 of columns c and c+8, from lines 2r, 2r+1 and from lines 2r+8, 2r+9.
func byteMatrices() []Copy {
	const line = 16 * 8
	group := []mode{{4, 2 * line}, {8, 8}}
	registers := []mode{{8, 1}, {2, line}, {2, 64}}
	load := func(n int) Copy {
		dst := tv(group, append(slices.Clone(registers), mode{2 * n, 8 * line}))
		second := mode{2, 0}
		if n == 2 {
			second.stride = 16 * line
		}
		return Copy{
			Name: fmt.Sprintf("SM100_U8x%d_LDSM_T", 8*n), Arch: "sm_100a",
			Instruction: fmt.Sprintf("ldmatrix.sync.aligned.m16n16.x%d.trans.shared.b8", n), Section: "PTX ISA 9.7.14.5.15",
			ThrID: threads(32), Src: tv([]mode{{2, line}, {2, 8 * line}, {4, 2 * line}, second}, []mode{{line, 1}}), Dst: dst, Ref: dst,
		}
	}
	src := tv(group, registers)
	return []Copy{load(1), load(2), {
		Name: "SM100_U8x4_STSM_T", Arch: "sm_100a",
		Instruction: "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8", Section: "PTX ISA 9.7.14.5.16",
		ThrID: threads(32), Src: src, Dst: addresses(1), Ref: src,
	}}
}

// tensorMemoryCopies is tcgen05.ld and tcgen05.st by a warp (PTX ISA 9.7.16.2.3.1). The shape is lanes x bits; n repetitions lie
// side by side, so that a lane holds n times as many bits. The two forms with _16b move two 16-bit values in a
// register, each from a column of its own, and have the same layouts.
func tensorMemoryCopies() []Copy {
	type shape struct {
		cute, ptx string
		section   int
		lanes     int
		bits      int // of a lane
		most      int // repetitions: 128 registers for each thread
		fragment  func(n, lane int) algebra.Layout
	}
	shapes := []shape{
		{"32dp32b", "32x32b", 1, 32, 32, 128, func(n, lane int) algebra.Layout {
			return tv([]mode{{32, lane}}, []mode{{32 * n, 1}})
		}},
		{"16dp64b", "16x64b", 2, 16, 64, 128, func(n, lane int) algebra.Layout {
			return tv([]mode{{2, 8 * lane}, {2, 32}, {8, lane}}, repeated([]mode{{32, 1}}, n, 64))
		}},
		{"16dp128b", "16x128b", 3, 16, 128, 64, func(n, lane int) algebra.Layout {
			return tv([]mode{{4, 32}, {8, lane}}, repeated([]mode{{32, 1}, {2, 8 * lane}}, n, 128))
		}},
		{"16dp256b", "16x256b", 4, 16, 256, 32, func(n, lane int) algebra.Layout {
			return tv([]mode{{4, 64}, {8, lane}}, repeated([]mode{{64, 1}, {2, 8 * lane}}, n, 256))
		}},
		{"16dp32b", "16x32bx2", 5, 16, 64, 128, func(n, lane int) algebra.Layout {
			return tv([]mode{{16, lane}, {2, lane / 2}}, []mode{{32 * n, 1}})
		}},
	}
	var copies []Copy
	add := func(arch string, s shape, n int, load, store Copy) {
		registers := s.fragment(n, s.bits*n)
		memory := layout(
			algebra.MakeTuple(algebra.Int(32), algebra.Int(s.lanes*s.bits*n)),
			algebra.MakeTuple(algebra.Int(0), algebra.Int(1)))
		section := fmt.Sprintf("PTX ISA 9.7.16.2.3.1.%d", s.section)
		load.Arch, load.Section, load.ThrID = arch, section, threads(32)
		load.Src, load.Dst, load.Ref = memory, registers, memory
		copies = append(copies, load)
		if store.Name == "" {
			return
		}
		store.Arch, store.Section, store.ThrID = arch, section, threads(32)
		store.Src, store.Dst, store.Ref = registers, memory, memory
		copies = append(copies, store)
	}
	for _, s := range shapes {
		for n := 1; n <= s.most; n *= 2 {
			ptx := fmt.Sprintf("%s.x%d", s.ptx, n)
			name := fmt.Sprintf("%s%dx", s.cute, n)
			add("sm_100a", s, n,
				Copy{Name: "SM100_TMEM_LOAD_" + name, Instruction: "tcgen05.ld.sync.aligned." + ptx + ".b32"},
				Copy{Name: "SM100_TMEM_STORE_" + name, Instruction: "tcgen05.st.sync.aligned." + ptx + ".b32"})
			add("sm_100a", s, n,
				Copy{Name: "SM100_TMEM_LOAD_" + name + "_16b", Instruction: "tcgen05.ld.sync.aligned." + ptx + ".pack::16b.b32"},
				Copy{Name: "SM100_TMEM_STORE_" + name + "_16b", Instruction: "tcgen05.st.sync.aligned." + ptx + ".unpack::16b.b32"})
		}
	}
	// Loads that also give the largest value. CuTe names them with the others, but sm_100a has not got the instruction.
	for _, n := range []int{32, 128} {
		add("sm_103a", shapes[0], n, Copy{
			Name:        fmt.Sprintf("SM100_TMEM_LOAD_STAT_32dp32b%dx", n),
			Instruction: fmt.Sprintf("tcgen05.ld.red.sync.aligned.32x32b.x%d.max.f32", n),
		}, Copy{})
	}
	return copies
}

// tensorMemoryFills is tcgen05.cp from shared to Tensor Memory, by one thread of a CTA or of a pair. Each CTA of a pair copies
// to its own lanes, so both name all bits. Fewer lines than lanes are copied to several lanes. For .warpx2::01_23 the
// order of the copies is CuTe's, which does not say which lanes they reach.
func tensorMemoryFills() []Copy {
	var copies []Copy
	for _, shape := range []struct {
		name, ptx string
		bits      int
		from      []mode
	}{
		{"128dp256bit", "128x256b", 128 * 256, []mode{{128 * 256, 1}}},
		{"128dp128bit", "128x128b", 128 * 128, []mode{{128 * 128, 1}}},
		{"4x32dp128bit", "32x128b.warpx4", 128 * 128, []mode{{32, 1}, {128, 32}, {4, 0}}},
		{"2x64dp128bitlw0123", "64x128b.warpx2::01_23", 128 * 128, []mode{{32, 1}, {128, 32}, {2, 4096}, {2, 0}}},
	} {
		for _, ctas := range []int{1, 2} {
			id := one()
			if ctas == 2 {
				id = threads(2)
			}
			dst := tv([]mode{{ctas, 0}}, []mode{{shape.bits, 1}})
			copies = append(copies, Copy{
				Name: fmt.Sprintf("SM100_UTCCP_%s_%dcta", shape.name, ctas), Arch: "sm_100a",
				Instruction: fmt.Sprintf("tcgen05.cp.cta_group::%d.%s", ctas, shape.ptx), Section: "PTX ISA 9.7.16.2.3",
				ThrID: id, Src: tv([]mode{{ctas, 0}}, shape.from), Dst: dst, Ref: dst,
			})
		}
	}
	return copies
}
