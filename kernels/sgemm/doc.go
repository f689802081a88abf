// Package sgemm is the family of fp32 matrix products on FFMA units: C = alpha op(A) op(B) + beta C, all row-major.
//
// Coordinates follow CuTe: A is (M,K), B is (N,K), C is (M,N), whatever op says about the storage. A block owns the tile (BM,BN) of C
// and walks over K in tiles of BK:
//
//	gA --tA--> registers --> sA --tC--> registers --\
//	                                                 FFMA into acc, tC's part of the tile of C --> gC
//	gB --tB--> registers --> sB --tC--> registers --/
//
// tA and tB say which thread copies what, tC which thread computes what: with rC = (4,4) a thread holds pieces of 4x4 elements of C,
// one for each repetition of the threads over the tile. sA and sB have two stages: while one is read, the next k tile is on its way
// through registers into the other, so one barrier a k tile is enough (the proof runs over the program, see access.Program).
package sgemm
