// Package dynamic is the layout algebra where extents and strides may be sizes that are known at run time only: CuTe's
// integers that are no Int<n>. It has the operations of package algebra, whose comment explains them. Each line of the form
// "operation = result" below is checked by a test.
//
// # Symbols
//
// A leaf of a layout may be a name, which stands for any integer of at least 1. (M,K):(lda,1) is a row-major matrix of M
// rows and K columns whose rows begin lda elements apart.
//
//	(M,K):(lda,1).Size() = K*M
//	(M,K):(lda,1).Cosize() = M*lda+K-lda
//	(M,K):(lda,1).Offset((3,5)) = 3*lda+5
//
// Leaves are polynomials of the symbols and of quotients rounded up ([Int]). They are written in one way: K*M, not M*K.
//
// # Answers hold for every value
//
// Whatever the symbols are, a result is that of package algebra for these values: [Layout.With] puts them in, [Layout.Static]
// goes over to package algebra when none is left.
//
//	ZippedDivide((M,K):(lda,1), (128,8)) = ((128,8),(ceil(M/128),ceil(K/8))):((lda,1),(128*lda,8))
//	ZippedDivide((300,16):(20,1), (128,8)) = ((128,8),(3,2)):((20,1),(2560,8))
//
// The last tile of 300 rows has 44 of them and is cut as if it had 128. That is what CuTe does too, and why a kernel
// compares coordinates with the extents.
//
// A coordinate may be a symbol. It stands for an integer of at least 0, such as the number of a thread block:
//
//	LocalTile((M,K):(lda,1), (128,8), (bx,_)) = (128,8,ceil(K/8)):(lda,1,8) at 128*bx*lda
//	LocalTile((M,K):(1@0,1@1), (128,8), (bx,_)) = (128,8,ceil(K/8)):(1@0,1@1,8@1) at (128*bx,0)
//
// # What depends on a value is refused
//
// Whether two modes are one, or a step fits in an extent, may depend on the symbols. Where the operation can do without, it
// does: nothing is merged that need not be.
//
//	Coalesce((M,K):(1,M)) = K*M:1
//	Coalesce((M,K):(1,lda)) = (M,K):(1,lda)
//
// Otherwise the error says which condition is open, and wraps [ErrUndecided]. Write what you know into the layout. An extent
// that 2 divides is 2*m:
//
//	Composition((M,K):(1,lda), 4:2) is refused: whether 4 steps of 2 along the left side's mode M:1 end inside it, or whether 2 and M divide each other, depends on the values of the symbols; write M as 2*m
//	Composition((8*m,K):(1,lda), 4:2) = 4:2
//	Complement((128,8):(1,lda), N) is refused: write lda as 128*lda_
//	Complement((128,8):(1,128*n), 1024*n) = n:128
//
// # Inverses, products
//
//	RightInverse((M,K):(K,1)) = (K,M):(M,1)
//	LogicalProduct((4,2):(1,4), (m,n):(1,m)) = ((4,2),(m,n)):((1,4),(8,8*m))
//	TileToShape((8,8):(8,1), (8*m,8*n)) = ((8,m),(8,n)):((8,64),(1,64*m))
package dynamic
