// Package algebra is the CuTe layout algebra: integer tuples, layouts and swizzles as immutable values, CuTe's notation
// in and out, and the operations that cut, order and place layouts. It knows nothing of GPUs.
//
// # What a layout means
//
// A [Layout] says where the element at a coordinate lives. This one, (4,(2,4)):(2,(1,8)), stores a matrix of 4 rows and
// 8 columns so that two columns lie side by side:
//
//	         column 0   1   2   3   4   5   6   7
//	row 0           0   1   8   9  16  17  24  25
//	    1           2   3  10  11  18  19  26  27
//	    2           4   5  12  13  20  21  28  29
//	    3           6   7  14  15  22  23  30  31
//
// Left of the colon is the shape, right of it the stride. Both are trees of integers of one profile ([Tuple]). The
// second mode, the columns, is itself a tuple of two modes: 2 neighbours in a pair, and 4 pairs.
//
// # The rule
//
// The offset is the inner product of the coordinate with the stride:
//
//	row 3, column (1,2)  ->  3*2 + 1*1 + 2*8 = 23
//
// A coordinate may be one integer where the shape has a tuple. It is split colexicographically, the first mode running
// fastest: column 5 is (5%2, 5/2) = (1,2), and position 23 of the whole layout is (23%4, 23/4) = (3,5), so it is the
// same element once more. Every layout is therefore also a function of one integer, and that is how layouts compose.
//
// # Operations are functions on functions
//
//	R = Composition(a, b)      R(i) = a(b(i)): walk a in the order that b says
//	c = Complement(l, n)       the shifts under which l's offsets fill 0 to n-1
//	r = RightInverse(l)        l(r(i)) = i: which position holds offset i
//	LogicalDivide(l, t)        l o (t, Complement(t, size of l)): the tile that t picks, and the rest
//	ZippedDivide(l, t)         the same for each mode of a matrix: ((tile), (rest))
//	LogicalProduct(l, t)       l, repeated as t says
//	Coalesce(l)                the same function with as few modes as possible
//
// There is more of each kind. [TiledDivide], [FlatDivide], [ZippedProduct], [TiledProduct] and [FlatProduct] arrange the
// same modes otherwise; [BlockedProduct], [RakedProduct] and [TileToShape] keep the rank of a matrix; [LeftInverse],
// [Nullspace] and [CoordOf] go back from offsets; [Ordered], [LayoutLike] and [FragmentLike] lay out anew;
// [MaxCommonVector] and [MaxAlignment] say how many elements one instruction may move; [Upcast], [Downcast] and [Recast]
// change the element. Tuples have their own arithmetic ([ShapeDiv], [CeilDiv], [InnerProduct]) and orders ([ElemLess],
// [ColexLess]), and [Layout.Select], [Layout.Group] and their like rearrange modes.
//
// The matrix above, cut into tiles of 2 rows by 4 columns, is
//
//	ZippedDivide((4,(2,4)):(2,(1,8)), (2,4)) = ((2,(2,2)),(2,2)):((2,(1,8)),(4,16))
//
//	tile:  0  1  8  9     the four tiles begin at   0 16
//	       2  3 10 11                               4 20
//
// # Values that are coordinates
//
// A stride may be a scaled basis element: 4@1 steps by 4 along mode 1. Such a layout gives coordinates instead of
// offsets. [Identity] gives back each coordinate; whatever is cut out of it still knows where it came from. So a
// partition of a tile over threads is made once, in coordinates:
//
//	PartitionTV((4,8):(1@0,1@1), (4,2):(2,1), (1,4)) = ((2,4),(1,4),(1,1)):((4@1,1@0),(0,1@1),(0,0))
//
//	thread 0: row 0, columns 0 1 2 3      thread 1: row 0, columns 4 5 6 7
//	thread 2: row 1, columns 0 1 2 3      ...
//
// and serves three times: its dot product with the leading dimensions is the address ([Dot]), its components against the
// extents are the guard ([Layout.Components]), and composed with a shared-memory layout it is the offset there
// ([Composition], [Composed.Compose]).
//
// # Swizzles
//
// A [Swizzle] permutes offsets by xor, so that the elements of a column differ in their low bits. A [Composed] is a layout
// followed by one. Sw<1,0,2> on the row-major (4,4):(4,1) exchanges neighbours in every second row:
//
//	 0  1  2  3
//	 5  4  7  6
//	 8  9 10 11
//	13 12 15 14
//
// What only rearranges coordinates goes to the layout below ([Composed.With], [Composed.Compose]). A slice may lose the
// swizzle ([Composed.Slice]): row 1, 5 4 7 6, is ((2,2)):((-1,2)) from offset 5 on, and column 1, 1 4 9 12, is
// ((2,2)):((3,8)) from offset 1 on. An inverse swizzles other bits ([Composed.RightInverse]), and so does a layout after
// a swizzle ([CompositionSwizzle]); they are given where one swizzle does it.
//
// # Questions
//
// Why does the first mode run fastest? Because CuTe counts so. A layout's order in memory is in its strides; the order of
// its coordinates is only a way of counting them.
//
// Are 4 and (4) different? Yes: an integer and a tuple of one. They have the same size and another profile.
//
// What is a stride of 0? The coordinate does not move the offset: threads along it share an element.
//
// Size or cosize? [Layout.Size] counts coordinates, [Layout.Cosize] the elements that a buffer needs. With padding, the
// second is larger: (8,7):(1,9) has 56 coordinates and reaches offset 61.
//
// When is a composition refused? When no layout has its values. (4,8):(1,5) o 6:1 would be 0 1 2 3 5 6: the step changes
// after 4 of 6. The error names the first coordinate at which it fails. See [Composition] for what is decided how.
//
// Where does this differ from CuTe? Results have CuTe C++'s form wherever CuTe is right. CuTe misses carries between the
// modes of a composition's right side, and refuses some that exist; here they are decided exactly. Complements of layouts
// that are not injective, tilers that leave positions uncovered, coordinates out of range and values beyond 64 bits are
// errors. The cosize of a swizzled layout counts the swizzle.
package algebra
