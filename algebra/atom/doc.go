// Package atom holds the MMA and copy atoms of CuTe as data: what each thread of an instruction holds, as layouts.
//
// An atom is one instruction of the hardware. Its layouts map (thread, value) to a place in the tile that the threads work on
// together: for an MMA an index into a column-major matrix, for a copy a bit. This is all that CuTe needs to know of an
// instruction to build tiled copies and products from it.
//
// # How to read a TV layout
//
// The accumulator of mma.m16n8k16 is ((4,8),(2,2)):((32,1),(16,8)) over the 16x8 tile, column-major, so row m and column n
// are at m + 16n. Mode 0 is the thread, mode 1 the value that it holds:
//
//	thread  t = t0 + 4*t1    t0 steps by 32 = two columns     t1 steps by 1 = one row
//	value   v = v0 + 2*v1    v0 steps by 16 = one column      v1 steps by 8 = eight rows
//
//	             n = 0     1     2     3     4     5     6     7
//	    m = 0     T0V0  T0V1  T1V0  T1V1  T2V0  T2V1  T3V0  T3V1
//	        1     T4V0  T4V1  T5V0  T5V1  T6V0  T6V1  T7V0  T7V1
//	        ...
//	        8     T0V2  T0V3  T1V2  T1V3  T2V2  T2V3  T3V2  T3V3
//
// # Where the layouts come from
//
// From the descriptions of fragments in the PTX ISA. They are few: one rule covers every operand of mma.sync from sm_75 on,
// and of wgmma (see fragment), so the atoms are made from their shapes and the widths of their types. Section numbers are
// those of the PTX ISA 9.2. Names are CuTe's.
//
// Two facts are not CuTe's: the destination of movmatrix is transposed, and B of dp2a has 8-bit values. And layouts that CuTe
// writes with a mode too many, (4,8),(8) for eight 4-bit values, have none here.
//
// All, Copies and Smems make a new list at every call; nothing is kept.
package atom
