// Package tiled makes tiled products and copies of atoms: CuTe's make_tiled_mma and make_tiled_copy, as plain values that
// say which thread holds which elements of a tensor.
//
// # A product
//
// An [MMA] lays copies of an instruction side by side over threads, along M, N and K, and cuts a tensor into tiles of that
// size. mma.m16n8k16 on 2x2 warps is a tile of 32x16x16:
//
//	              N 0..7     8..15
//	M  0..15     warp 0     warp 2
//	   16..31    warp 1     warp 3       AtomLayout (2,2,1):(1,2,0)
//
// Each warp then goes on in steps of the tile: over (128,64) it has 4x4 accumulators. [MMA.ThrfrgC] has all threads' parts,
// [ThrMMA.PartitionC] one thread's.
//
// # A copy
//
// A [Copy] gives each thread of a tile some values of it, and the instruction says on which side: ldmatrix reads a row of 8
// values by one thread's address and hands them out to 4. [ThrCopy.PartitionS] names what the thread gives,
// [ThrCopy.PartitionD] what it gets.
//
// # Coordinates
//
// Every partition takes any layout. That of [algebra.Identity] gives back coordinates:
//
//	PartitionC of (128,96):(1@0,1@1) by thread 37 = ((2,2),4,12):((1@1,8@0),32@0,8@1) at (17,2)
//
// A swizzled tensor is partitioned below its swizzle: c.With(mma.ThrfrgC(c.Layout)).
package tiled
