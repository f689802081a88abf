// Package dynamic is the layout algebra where extents and strides may be sizes that are known at run time only.
//
//	(M,K):(1,lda)            a matrix in columns
//	(128,ceil(M/128))        its tiles
//
// An answer holds for every value of the symbols, each an integer of at least 1. What can't be decided without the value
// is refused with [ErrUndecided].
package dynamic
