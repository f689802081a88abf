// Package transpose is the family of fp32 matrix transposes through shared memory: dst[b][n][m] = src[b][m][n].
//
// A block takes the tile gS of the source, (TM,TN) at block coordinate (blockIdx.x, blockIdx.y). Partition tS loads it along its rows and puts
// it into sT; after one barrier, partition tD reads it along its columns and stores them as rows of the destination:
//
//	gS --tS--> registers --> sT --barrier--> registers --tD--> gD
//
// Consecutive blocks take consecutive row tiles, so that they write the destination's rows linearly in time.
//
// Which layout sT has decides the bank conflicts: (64,64):(64,1) puts a column into one bank, padding or a swizzle spreads it.
package transpose
