// Package notation writes values of the layout algebra as text of CuTe C++, CuTe DSL, pycute and Triton, so that a layout
// can be carried there.
//
//	                  (4,8):(8,1)
//	CPP               make_layout(make_shape(Int<4>{}, Int<8>{}), make_stride(Int<8>{}, Int<1>{}))
//	DSL               cute.make_layout((4, 8), stride=(8, 1))
//	Pycute            Layout((4, 8), (8, 1))
//	Bases             LinearLayout.from_bases([("mode0", [[8], [16]]), ("mode1", [[1], [2], [4]])], ["offset"], [32], False)
//
// Sizes known at run time are variables of their names, (M,8):(lda,1) is Layout((M, 8), (lda, 1)), and what begins at an offset is a
// tuple of a layout and the offset.
//
// A text means there what the value means here, at every coordinate. What a notation cannot say is an error that says why.
package notation
