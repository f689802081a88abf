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
// # How to read a partition
//
// Every partition takes any layout. That of [algebra.Identity] gives back coordinates. Thread 69 is lane 5 of warp 2, above on the
// right; with the product of the picture it has of a tensor of 128 rows and 64 columns
//
//	PartitionC of (128,64):(1@0,1@1) by thread 69 = ((2,2),4,4):((1@1,8@0),32@0,16@1) at (1,10)
//
//	(1,10)     where it begins: the warp's column 8, and in it the lane's row 5/4 and column 5%4*2
//	(2,2)      its values of one instruction: 1@1, the next column, and 8@0, eight rows down
//	4          the tiles along M: 32@0, 32 rows further
//	4          the tiles along N: 16@1, 16 columns further
//
//	value      0        1        2        3        4        5
//	is at      (1,10)   (1,11)   (9,10)   (9,11)   (33,10)  (33,11)
//
// So value i is at (1,10) plus the layout's value at position i. How (thread, value) layouts are read and drawn is in package
// algebra, "Threads and values", and for the instructions in package atom. From the shell:
//
//	cutegen layout tiled-mma-partition-C SM80_16x8x16_F32F16F16F32_TN '(2,2,1):(1,2,0)' '()' '(128,64):(1@0,1@1)' 69
//
// A swizzled tensor is partitioned below its swizzle: c.With(mma.ThrfrgC(c.Layout)).
package tiled
