// Package algebra is the CuTe layout algebra: integer tuples, layouts and swizzles as immutable values, CuTe's notation
// in and out, and the operations that cut, order and place layouts. It knows nothing of GPUs. What follows is a course
// from the first layout to the swizzled tile. Each line of the form "operation = result", each grid and each strip of
// memory in it is checked by a test.
//
// # A layout is a function
//
// A kernel computes many indices: where element (row, column) is in memory, which elements thread 7 loads, which of them
// it keeps in which register. Each of these is a function from coordinates to integers, and CuTe writes all of them as one
// kind of value, the [Layout]: a shape, a colon, a stride. (4,2):(1,4) is a matrix of 4 rows and 2 columns:
//
//	(4,2):(1,4)
//
//	0  4
//	1  5
//	2  6
//	3  7
//
// The number in a place is its offset, the sum of each coordinate times its stride: row 3, column 1 is at 3*1 + 1*4.
//
//	(4,2):(1,4).Index((3,1)) = 7
//
// The same matrix with other strides. Now a row is adjacent in memory, before it was a column:
//
//	(4,2):(2,1)
//
//	0  1
//	2  3
//	4  5
//	6  7
//
// So CuTe does not speak of rows and columns of memory. The coordinates stay the same, the strides say where things are.
// [ColMajor] and [RowMajor] make the two strides, [Ordered] any order, [MakeLayout] takes whatever you say.
//
//	ColMajor((2,3,4)) = (2,3,4):(1,2,6)
//	RowMajor((2,3,4)) = (2,3,4):(12,4,1)
//	Ordered((2,3,4), (2,0,1)) = (2,3,4):(12,1,3)
//	MakeLayout((2,3), (8,1)) = (2,3):(8,1)
//
// A layout owns no memory, and knows no type. It is a function, nothing else.
//
// # One integer is a coordinate too
//
// Count the coordinates of a shape with the first mode running fastest. This order is called colexicographic. For the
// shape (4,2) it is (0,0) (1,0) (2,0) (3,0) (0,1) (1,1) (2,1) (3,1), whatever the strides are. The number of a coordinate
// in this order is its position. Position i of (4,2) is the coordinate (i%4, i/4), so each layout is also a function of
// one integer:
//
//	(4,2):(2,1).Coord(5) = (1,1)
//	(4,2):(2,1).At(5) = 3
//	(4,2):(2,1).Index(5) = 3
//	(4,2):(2,1).Index((1,1)) = 3
//
//	position  0 1 2 3 4 5 6 7    of (4,2):(2,1)
//	offset    0 2 4 6 1 3 5 7
//
// [Layout.At] is for loops, and does not look at i: behind the end the last mode goes on, as in CuTe. [Layout.Index] refuses.
//
//	(4,2):(2,1).At(8) = 2
//	(4,2):(2,1).At(200) = 50
//	(4,2):(2,1).Index(8) is refused: got 8 in shape (4,2), allowed is 0 to 7
//
// That a layout takes integers and gives integers is what the algebra stands on: two layouts can be put one behind the
// other.
//
// # Gaps, and places that are shared
//
// Size counts the coordinates. Cosize is how many elements the memory must have: the largest offset minus the smallest,
// plus one. Padding makes the second larger. Here each column is 5 elements behind the one before, and one is left free:
//
//	(4,2):(1,5)
//
//	0  5
//	1  6
//	2  7
//	3  8
//
//	memory 00 10 20 30 -- 01 11 21 31
//
// The strip says which (row, column) is at offset 0, 1, 2 and so on.
//
//	(4,2):(1,5).Size() = 8
//	(4,2):(1,5).Cosize() = 9
//	(2,3):(8,1).Size() = 6
//	(2,3):(8,1).Cosize() = 11
//
// An allocation needs the cosize. A batch of 3 matrices (4,6), each row padded to 8 and each matrix to 40, is one layout more:
//
//	(4,6,3):(8,1,40).Cosize() = 110
//
// A mode of stride 0 does not move the offset. The 4 rows share one place (a broadcast):
//
//	(4,2):(0,1)
//
//	0  1
//	0  1
//	0  1
//	0  1
//
//	(4,2):(0,1).Cosize() = 2
//
// Reading through it is fine. Writing through it is a race, as with any two coordinates that meet. [Injective] asks whether
// some do, [Surjective] whether offsets are left out, [Bijective] both; a no comes with a witness. A negative stride walks
// backwards.
//
//	Injective((4,2):(2,1)) holds
//	Injective((4,2):(1,2)) fails: coordinates (2,0) and (0,1) are both at 2
//	Surjective((4,2):(1,5), 9) fails: no coordinate is at 4
//	Bijective((4,2):(2,1), 8) holds
//	4:-1.At(3) = -3
//	4:-1.Cosize() = 4
//
// # Modes within modes
//
// An extent may itself be a shape. ((2,2),(2,2)):((1,4),(2,8)) is still a matrix of 4 rows and 4 columns. But a row number
// is (row in the block, row of blocks), so that each block of 2 by 2 is adjacent in memory:
//
//	((2,2),(2,2)):((1,4),(2,8))
//
//	0  2   8  10
//	1  3   9  11
//	4  6  12  14
//	5  7  13  15
//
//	memory 00 10 01 11 20 30 21 31 02 12 03 13 22 32 23 33
//
// You may say row 3, or row (1,1), or number everything: an integer in the place of a tuple is split colexicographically.
//
//	((2,2),(2,2)):((1,4),(2,8)).Index((3,2)) = 13
//	((2,2),(2,2)):((1,4),(2,8)).Index(((1,1),(0,1))) = 13
//	((2,2),(2,2)):((1,4),(2,8)).Index(11) = 13
//	((2,2),(2,2)):((1,4),(2,8)).Coord(11) = ((1,1),(0,1))
//
// So code that asks for (row, column) does not change when the blocks do. The way the parentheses stand is the profile of a
// tuple. Shape and stride have one profile: they are congruent. A shape whose coordinates are also coordinates of another,
// finer one is compatible with it.
//
//	Congruent((4,(2,4)), (2,(1,8))) = true
//	Compatible((4,8), (4,(2,4))) = true
//	Compatible((4,(2,4)), (4,8)) = false
//
// The integer 4 and the tuple (4) have one size and different profiles, and CuTe keeps them apart; so does [Tuple].
//
// # Fewer modes: coalesce
//
// Two modes of which the second goes on where the first ends are one. [Coalesce] writes a function with as few modes as
// there can be, and that text is unique: two layouts of one size are the same function if their coalesced texts are equal.
//
//	Coalesce((2,(1,6)):(1,(6,2))) = 12:1
//	Coalesce((4,2):(1,4)) = 8:1
//	Coalesce((4,2):(2,1)) = (4,2):(2,1)
//
// The last one cannot be shortened, for its offsets 0 2 4 6 1 3 5 7 do not go on evenly. [CoalesceModes] does it mode by
// mode, so that a matrix stays a matrix. [Filter] also drops the modes that do not move.
//
//	CoalesceModes((2,(1,6)):(1,(6,2)), (1,1)) = (2,6):(1,2)
//	Filter((2,4,3):(0,1,4)) = 12:1
//
// # Composition: first pick, then find
//
// R = Composition(a, b) is the function R(i) = a(b(i)): b says which positions of a, in which order; a says where these
// are. R has b's shape, or a finer one.
//
//	Composition((6,2):(8,2), (4,3):(3,1)) = ((2,2),3):((24,2),8)
//
// Take every second element of a matrix of 4 rows and 2 columns. In columns it is every second offset. In rows, the steps
// walk past the end of the first column and come to the second, so that one mode becomes two:
//
//	Composition((4,2):(1,4), 4:2) = 4:2
//	Composition((4,2):(2,1), 4:2) = (2,2):(4,1)
//
//	i          0 1 2 3
//	b(i)       0 2 4 6    4:2
//	a(b(i))    0 4 1 5    (4,2):(2,1), which is 0 2 4 6 1 3 5 7
//
// A transpose is a composition: read a row-major matrix by positions that run along rows.
//
//	Composition((4,4):(4,1), (4,4):(4,1)) = (4,4):(1,4)
//
// So is a part of a matrix, here the 2 by 2 in the corner:
//
//	Composition((4,4):(4,1), (2,2):(1,4)) = (2,2):(4,1)
//
// b may walk out of a's domain: the last mode of a goes on.
//
//	Composition((4,2):(1,8), 8:2) = (2,4):(2,8)
//
// By hand: coalesce a, and take b mode by mode. A mode n:d of b, d above 0, is n steps of d. They walk through the modes s:e of
// a from the front. In each but the last:
//
//	d is s or more    they pass it by: n:(d/s) go to the next mode
//	d is below s      s/d of them are here: take n or s/d, whichever is less, with stride d*e; the rest, (n*d/s):1, goes on
//
// The last mode takes what is left, with stride d*e. So 12:8 through (4,6,8):(1,10,100):
//
//	mode     comes    takes
//	4:1      12:8     nothing, for 8 is more than 4
//	6:10     12:2     3:20, for 6/2 = 3 steps of 2*10 are here
//	8:100    4:1      4:100
//
//	Composition((4,6,8):(1,10,100), 12:8) = (3,4):(20,100)
//
// This is right if
//
//   - each division leaves no rest; none is asked for once all steps that are left end inside the mode, (n-1)*d below s, and
//   - the modes of b together stay inside each mode of a but the last: what they walk in it, (steps taken - 1)*d, adds up to
//     less than s.
//
// CuTe knows the first condition only. Where one fails the values decide, and mostly there is no layout. 4:3 through
// (4,8):(1,5) begins with 0 3 and goes on with steps of 4. Of 6:1 the first 4 elements go in steps of 1, and 6 has no factor
// 4. (3,2):(1,2) carries: coordinate (2,1) is position 4, in the next column, while its parts 2 and 2 are in the first.
//
//	position  0 1 2 3 4 5 6 7 8  9 10 11    of (4,8):(1,5)
//	offset    0 1 2 3 5 6 7 8 10 11 12 13
//
//	Composition((4,8):(1,5), 8:1) = (4,2):(1,5)
//	Composition((4,8):(1,5), 2:3) = 2:3
//	Composition((4,8):(1,5), 4:3) is refused: at coordinate 3 of 4 (position 9 of the left side) the value is 11, not 10
//	Composition((4,8):(1,5), 6:1) is refused: at coordinate 4 of 6 (position 4 of the left side) the value is 5, not 4
//	Composition((4,8):(1,5), (3,2):(1,2)) is refused: the value is 5, but its modes alone add up to 4: they carry into each other
//
// Composition gives the layout whenever there is one. Otherwise the error names the first coordinate at which none can go on.
//
// A tuple on the right is a [Tiler]: it composes mode by mode, each mode of a with its own element, which counts along this mode
// only. 3 stands for 3:1, and _ keeps a mode ([CompositionTiler]; in the shell it is compose, too). Rows 0 and 2, columns 0 to
// 2 of (4,6):(6,1), and the same with one layout on the right, whose columns are 4 positions apart:
//
//	CompositionTiler((4,6):(6,1), (2:2,3)) = (2,3):(12,1)
//	Composition((4,6):(6,1), (2,3):(2,4)) = (2,3):(12,1)
//
//	(4,6):(6,1)
//
//	0   1   2   3   4   5
//	6   7   8   9  10  11
//	12  13  14  15  16  17
//	18  19  20  21  22  23
//
//	(2,3):(12,1)
//
//	0   1   2
//	12  13  14
//
// # What is left: complement
//
// A layout picks some of the offsets below n. Which copies of it pick the others? [Complement] gives the shifts. The copies
// never meet, and they cover 0 to n-1:
//
//	Complement(4:1, 16) = 4:4
//	Complement(4:2, 16) = (2,2):(1,8)
//
//	4:1      0123............     shifts 0 4 8 12
//	4:2      0.1.2.3.........     shifts 0 1 8 9
//	+1       .0.1.2.3........
//	+8       ........0.1.2.3.
//	+9       .........0.1.2.3
//
// By hand: sort the modes by stride, those of stride 0 left out. Before each mode n:d, with e the end n*d of the mode before
// (1 at first), there is room for d/e shifts by e; behind the last one for n/e of them, rounded up. For 4:2 to 16: 2/1 shifts
// by 1, then the end is 8, 16/8 shifts by 8.
//
// Two exceptions. The last copy may reach beyond n. And where e does not divide d, some offsets are in no copy, as 4 and 9
// here; [LogicalDivide] refuses such a tiler.
//
//	Complement(4:1, 10) = 3:4
//	Complement((2,2):(1,5), 10) = 2:2
//
//	(2,2):(1,5)      01...23...     shifts 0 2
//	+2               ..01...23.
//
// What is picked twice (but for stride 0) has no complement, and the error names the coordinates that meet. Nor have modes
// that interleave, or a negative stride.
//
//	Complement((4,3):(2,6), 24) is refused: coordinate (3,0) (position 3) and coordinate (0,1) (position 4) meet at offset 6
//	Complement((2,2):(2,3), 12) is refused: modes 2:2 and 2:3 interleave: stride 3 is below the end 4 of the mode before
//	Complement(4:-1, 8) is refused: stride -1 is negative
//
// # Tiles: divide
//
// To cut a layout into tiles, say which positions the first tile has; the complement says where the others begin.
//
//	LogicalDivide(l, t) is Composition(l, (t, Complement(t, size of l)))
//
// Mode 0 of the result is the place in a tile, mode 1 the tile.
//
//	LogicalDivide(16:1, 4:1) = (4,4):(1,4)
//	LogicalDivide(16:1, 4:2) = (4,(2,2)):(2,(1,8))
//	LogicalDivide(16:2, 4:2) = (4,(2,2)):(4,(2,16))
//	LogicalDivide(32:1, 8:1) = (8,4):(1,8)
//
// The second takes every second element: tile 0 and tile 1 lie in each other. The third cuts what has gaps already; the
// tile's shape and the storage's strides do not know of each other.
//
// A matrix is cut mode by mode. The tiler is a tuple with something for each mode: 4 stands for 4:1, a layout for itself, _
// leaves a mode as it is, and modes that it does not name are left over ([Tiler], [Tile]).
//
//	LogicalDivide((8,6):(1,8), (4,3)) = ((4,2),(3,2)):((1,4),(8,24))
//	LogicalDivide((8,6):(1,8), (4:2,3)) = ((4,2),(3,2)):((2,1),(8,24))
//
// Now each mode is (tile, rest). The other divides have the same modes in another arrangement:
//
//	ZippedDivide((8,6):(1,8), (4,3)) = ((4,3),(2,2)):((1,8),(4,24))
//	TiledDivide((8,6):(1,8), (4,3)) = ((4,3),2,2):((1,8),4,24)
//	FlatDivide((8,6):(1,8), (4,3)) = (4,3,2,2):(1,8,4,24)
//
// With ZippedDivide, coordinate ((i,j),(m,n)) is element (i,j) of tile (m,n). The tiles of (8,6):(1,8), numbered in their
// own order, are
//
//	((4,2),(3,2)):((0,1),(0,2))
//
//	0  0  0  2  2  2
//	0  0  0  2  2  2
//	0  0  0  2  2  2
//	0  0  0  2  2  2
//	1  1  1  3  3  3
//	1  1  1  3  3  3
//	1  1  1  3  3  3
//	1  1  1  3  3  3
//
// What does not divide is rounded up: the last tile is larger than what is left, and needs a predicate.
//
//	LogicalDivide(10:1, 4) = (4,3):(1,4)
//
// Tiles that no shifts put together, such as (2,2):(1,5), are refused.
//
//	LogicalDivide(20:1, (2,2):(1,5)) is refused: no shifts of the tile cover coordinate 4 (position 4)
//
// # One tile of them
//
// A thread block works on one tile, and sees all steps along the mode that it loops over. [LocalTile] divides and keeps the
// tile at a coordinate; _ keeps all tiles along a mode, behind the tile. It also gives the offset at which it begins.
//
//	LocalTile((128,64):(64,1), (32,16), (2,1)) = (32,16):(64,1) at 4112
//	LocalTile((128,64):(64,1), (32,16), (2,_)) = (32,16,4):(64,1,16) at 4096
//
// [OuterPartition] is the other way round: one place of each tile. [Slice] fixes coordinates of any layout.
//
//	OuterPartition((128,64):(64,1), (32,16), (2,1)) = (4,4):(2048,16) at 129
//	Slice((4,2):(2,1), (3,_)) = (2):(1) at 6
//
// # Repeat: product
//
// A divide begins with the whole. A product begins with the tile, and repeats it over a layout of copies:
//
//	LogicalProduct(l, t) is (l, Composition(Complement(l, size of l times cosize of t), t))
//
//	LogicalProduct(4:1, 3:1) = (4,3):(1,4)
//	LogicalProduct((2,2):(1,4), 6:1) = ((2,2),(2,3)):((1,4),(2,8))
//
// The second block has holes, and the first copies go there. (Where a block has gaps that no copy fills, the complement goes
// on until there are as many shifts as t counts.) For matrices there are two that keep rows with rows and
// columns with columns. [BlockedProduct] puts a copy beside a copy, [RakedProduct] deals them out in turn. A block of 2 by 2
// over 2 by 3 copies:
//
//	BlockedProduct((2,2):(1,2), (2,3):(1,2)) = ((2,2),(2,3)):((1,4),(2,8))
//	RakedProduct((2,2):(1,2), (2,3):(1,2)) = ((2,2),(3,2)):((4,1),(8,2))
//
//	((2,2),(2,3)):((1,4),(2,8))
//
//	0  2   8  10  16  18
//	1  3   9  11  17  19
//	4  6  12  14  20  22
//	5  7  13  15  21  23
//
//	((2,2),(3,2)):((4,1),(8,2))
//
//	0   8  16  2  10  18
//	4  12  20  6  14  22
//	1   9  17  3  11  19
//	5  13  21  7  15  23
//
// [TileToShape] is the blocked product with as many copies as a shape needs.
//
//	TileToShape((2,2):(2,1), (4,6)) = ((2,2),(2,3)):((2,4),(1,8))
//	ZippedProduct((2,2):(1,2), (2,3):(1,2)) = ((2,2),(2,3)):((1,2),(4,8))
//	TiledProduct((2,2):(1,2), (2,3):(1,2)) = ((2,2),2,3):((1,2),4,8)
//	FlatProduct((2,2):(1,2), (2,3):(1,2)) = (2,2,2,3):(1,2,4,8)
//
// # The way back: inverses
//
// Which position holds offset 3? Where each offset below the size has its position, both inverses say so:
//
//	RightInverse((4,2):(2,1)) = (2,4):(4,1)
//	LeftInverse((4,2):(2,1)) = (2,4):(4,1)
//	CoordOf((4,2):(2,1), 3) = (1,1)
//
// With gaps they part. l(RightInverse(l)(i)) = i: it goes as far as the offsets go without a gap. LeftInverse(l)(l(i)) = i:
// it covers all offsets of l, and those in the gaps with something.
//
//	RightInverse((4,2):(1,8)) = 4:1
//	LeftInverse((4,2):(1,8)) = (8,2):(1,4)
//
// [Nullspace] is what an inverse cannot know: the positions that lie at 0.
//
//	Nullspace((2,2,3):(1,0,2)) = 2:2
//
// # Values that are coordinates
//
// A stride may be a scaled basis element: 4@1 steps by 4 along mode 1. Such a layout gives coordinates instead of offsets.
// [Identity] gives back each coordinate; whatever is cut out of it still knows where it came from.
//
//	Identity((4,8)) = (4,8):(1@0,1@1)
//	(4,8):(1@0,1@1).Value((3,5)) = (3,5)
//	LocalTile((512,256):(1@0,1@1), (128,8), (3,_)) = (128,8,32):(1@0,1@1,8@1) at (384,0)
//
// A partition is made once, of coordinates, and serves three times. Its components are what a guard compares with the
// extents ([Layout.Components]). Its inner product with the leading dimensions is the address ([Dot]). Composed with a layout
// of shared memory it is the offset there.
//
//	((2,4),4):((4@1,1@0),1@1).Component(0) = ((2,4),4):((0,1),0)
//	Dot(((2,4),4):((4@1,1@0),1@1), 100, 1) = ((2,4),4):((4,100),1)
//	Composition((4,8):(9,1), ((2,4),4):((4@1,1@0),1@1)) = ((2,4),4):((4,9),1)
//
// # Threads and values
//
// Who has which element is said in two directions. A grid of threads goes from the coordinate to the thread. A TV layout goes
// the other way, from (thread, value) to the place of the value: mode 0 is the thread, mode 1 which of its values. Kernels
// need the second, for a thread knows its number and asks for its places; a person states the first.
//
// Deal a tile of 8 by 8 to 8 threads. They stand in two rows of four, thread 1 to the right of thread 0:
//
//	(2,4):(4,1)
//
//	0  1  2  3
//	4  5  6  7
//
// [LocalPartition] repeats the grid over the tile, so that neighbours in a row go to neighbouring threads (which load them in one
// go). The owners: each mode is (in the grid, which copy of it), and the next copy begins with thread 0 again, so it has stride 0.
//
//	((2,4),(4,2)):((4,0),(1,0))
//
//	0  1  2  3  0  1  2  3
//	4  5  6  7  4  5  6  7
//	0  1  2  3  0  1  2  3
//	4  5  6  7  4  5  6  7
//	0  1  2  3  0  1  2  3
//	4  5  6  7  4  5  6  7
//	0  1  2  3  0  1  2  3
//	4  5  6  7  4  5  6  7
//
// From it to the TV layout: cut the tile by the grid's shape, which gives (place in the grid, copy), and put the thread in
// the place of its place. The inverse of the grid has it: the ids run along a row, so thread t is in column t%4 and row t/4,
// which is the shape (4,2), not (2,4). The copies are the values.
//
//	ZippedDivide((8,8):(8,1), (2,4)) = ((2,4),(4,2)):((8,1),(16,4))
//	RightInverse((2,4):(4,1)) = (4,2):(2,1)
//	Composition((2,4):(8,1), (4,2):(2,1)) = (4,2):(1,8)
//	LocalPartition((8,8):(8,1), (2,4):(4,1)) = ((4,2),(4,2)):((1,8),(16,4))
//
// Thread 5 is (1,1): one column and one row on. Its value 3 is (3,0): three copies down. So the place is 1 + 8 + 3*16:
//
//	((4,2),(4,2)):((1,8),(16,4)).Index((5,3)) = 57
//
// With the coordinates of the tile for its offsets (see the section before) it is a picture, T5V3 in row 7 and column 1. The shell
// draws such a one: cutegen layout show --tv '((4,2),(4,2)):((1@1,1@0),(2@0,4@1))'.
//
//	LocalPartition((8,8):(1@0,1@1), (2,4):(4,1)) = ((4,2),(4,2)):((1@1,1@0),(2@0,4@1))
//
//	((4,2),(4,2)):((1@1,1@0),(2@0,4@1))
//
//	T0V0 T1V0 T2V0 T3V0 T0V4 T1V4 T2V4 T3V4
//	T4V0 T5V0 T6V0 T7V0 T4V4 T5V4 T6V4 T7V4
//	T0V1 T1V1 T2V1 T3V1 T0V5 T1V5 T2V5 T3V5
//	T4V1 T5V1 T6V1 T7V1 T4V5 T5V5 T6V5 T7V5
//	T0V2 T1V2 T2V2 T3V2 T0V6 T1V6 T2V6 T3V6
//	T4V2 T5V2 T6V2 T7V2 T4V6 T5V6 T6V6 T7V6
//	T0V3 T1V3 T2V3 T3V3 T0V7 T1V7 T2V7 T3V7
//	T4V3 T5V3 T6V3 T7V3 T4V7 T5V7 T6V7 T7V7
//
// CuTe's local_partition, and cutegen layout local-partition, want a thread's number and give its part only. LocalPartition
// gives all; a slice of it is one:
//
//	Slice(((4,2),(4,2)):((1,8),(16,4)), (5,_)) = ((4,2)):((16,4)) at 9
//
// [PartitionTV] gives each thread a block of values first, here 4 by 2, and repeats both. Blocks suit computation, since the
// values of a thread share rows and columns. The owners of the same tile:
//
//	((4,2),(2,4)):((0,4),(0,1))
//
//	0  0  1  1  2  2  3  3
//	0  0  1  1  2  2  3  3
//	0  0  1  1  2  2  3  3
//	0  0  1  1  2  2  3  3
//	4  4  5  5  6  6  7  7
//	4  4  5  5  6  6  7  7
//	4  4  5  5  6  6  7  7
//	4  4  5  5  6  6  7  7
//
//	PartitionTV((8,8):(8,1), (2,4):(4,1), (4,2)) = ((4,2),(4,2),(1,1)):((2,32),(8,1),(0,0))
//
// Thread 5 is (1,1) again, now 2 columns and 4 rows on, and value 3 is (3,0), row 3 of its block. Mode 2 counts the
// iterations, of which there is one here. The instructions of the hardware are TV layouts too: package atom of this module
// has them, and package tiled makes copies and products of them (CuTe's make_tiled_copy
// and make_tiled_mma) and partitions tensors by them. Where threads that differ in one mode only are to share what they read,
// a projection says so, with X (or _) for that mode:
//
//	PartitionTVProj((128,8):(1@0,1@1), (16,16):(16,1), (4), (1,X)) = ((16,16),(4),(2,8)):((0,4@0),(1@0),(64@0,1@1))
//
// # Swizzles
//
// Shared memory has 32 banks of 4 bytes: bank 0 has the bytes 0 to 3, 128 to 131 and so on. What a warp asks of it is served in
// one pass if no bank is asked for two different places, and otherwise in as many as the busiest bank is asked for. The threads
// of a column of a row-major tile often all use one bank.
//
// A [Swizzle] moves them apart: it xors some high bits of the offset into low ones, and so permutes the offsets. A [Composed] is
// a layout with a swizzle behind it. Sw<B,M,S> takes B bits, those from bit M+S on (Y), and xors them into the B bits from bit M
// on (Z). The M bits below stay:
//
//	               M+S      M
//	bit        7 6 5  4 3 2  1 0
//	Sw<3,2,3>  Y Y Y  Z Z Z  - -
//
//	Sw<3,2,3>.Apply(32) = 36
//	Sw<3,2,3>.Apply(67) = 75
//
// Sw<1,0,2> takes 1 bit, to bit 0, from 2 bits above it. On a matrix of 4 by 4 it exchanges neighbours in every second row:
//
//	Sw<1,0,2> o 0 o (4,4):(4,1)
//
//	0   1   2   3
//	5   4   7   6
//	8   9  10  11
//	13  12  15  14
//
// Column 0 is 0 5 8 13: if there were 4 banks, that is bank 0 1 0 1, before it was 0 0 0 0.
//
//	Sw<2,0,2> o 0 o (4,4):(4,1)
//
//	0   1   2   3
//	5   4   7   6
//	10  11   8   9
//	15  14  13  12
//
// With two bits all four banks are used, by rows and by columns, and no padding was needed.
//
// Now the 32 banks, 8 rows of 32 floats, (8,32):(32,1), each row all of the banks. A lane reads 4 floats at once, 16 bytes, from
// 4 banks, so 8 lanes are served together. 35 is vector 5 of row 3. Under Sw<3,2,3> it lies in
//
//	banks  0-3  4-7  8-11 12-15 16-19 20-23 24-27 28-31
//	row 0   00   01   02    03    04    05    06    07
//	row 1   11   10   13    12    15    14    17    16
//	row 2   22   23   20    21    26    27    24    25
//	row 3   33   32   31    30    37    36    35    34
//	row 4   44   45   46    47    40    41    42    43
//	row 5   55   54   57    56    51    50    53    52
//	row 6   66   67   64    65    62    63    60    61
//	row 7   77   76   75    74    73    72    71    70
//
// A row is still all the banks, and so is a column now: 00 10 20 to 70, which were all in banks 0 to 3.
//
// The recipe, for threads that read (or write) down a column in vectors:
//
//	M    log2 of the elements of a vector, which stay together
//	B    log2 of the vectors in 128 bytes: 5 for 4 bytes, 4 for 8, 3 for 16. As many lanes, 32, 16 or 8, are served together
//	S    Y begins, at bit M+S, where the offsets of these lanes begin to differ: log2 of the elements from one lane's row to
//	     the next one's, minus M
//
// Where this step is less than 128 bytes, its lowest bits choose banks already: they drop out of B, and M+S is log2 of the
// elements in 128 bytes. The bytes of an element, of a vector, and how many rows further the next lane is:
//
//	Sw<5,0,5> o 0 o (32,32):(32,1)    4   4  1
//	Sw<4,1,4> o 0 o (16,32):(32,1)    4   8  1
//	Sw<3,2,3> o 0 o (8,32):(32,1)     4  16  1
//	Sw<3,2,6> o 0 o (64,64):(64,1)    4  16  4
//	Sw<3,3,3> o 0 o (8,64):(64,1)     2  16  1
//	Sw<2,3,3> o 0 o (8,32):(32,1)     2  16  1
//
// For other accesses let it be searched: cutegen swizzle TILE --write TV --read TV counts the passes under every swizzle and
// padding (Advise of package access in Go), cutegen layout show 'Sw<3,2,3> o 0 o (8,32):(32,1)' draws one.
//
// The integer between is added before the swizzle. What only rearranges coordinates goes to the layout below
// ([Composed.With], [Composed.Compose]). A slice may be a plain layout again ([Composed.Slice]).
//
//	Sw<1,0,2> o 0 o (4,4):(4,1).Compose((2,4):(1,4)) = Sw<1,0,2> o 0 o (2,4):(4,1)
//	Sw<1,0,2> o 0 o (4,4):(4,1).Slice((1,_)) = ((2,2)):((-1,2)) at 5
//	Sw<1,0,2> o 0 o (4,4):(4,1).RightInverse() = Sw<1,0,-2> o 0 o (4,4):(4,1)
//	Sw<2,0,3> o 0 o (3,5):(8,1).Cosize() = 23
//
// The last one is 21 without the swizzle: an allocation must ask the swizzled layout.
//
// # Elements of another width
//
// The same memory as elements of twice the size has half as many, along the mode of stride 1 ([Recast]). How many elements
// one instruction may move between two layouts of a tile is [MaxCommonVector].
//
//	Recast((8,3):(1,8), 16, 32) = (4,3):(1,4)
//	Recast((8,3):(1,8), 16, 8) = (16,3):(1,16)
//	Sw<3,3,3> o 0 o (8,64):(64,1).Recast(16, 32) = Sw<3,2,3> o 0 o (8,32):(32,1)
//	MaxCommonVector((8,4):(1,1024), (8,4):(1,8)) = 8
//	MaxCommonVector((8,4):(1,1024), (8,4):(4,1)) = 1
//
// # The other operations
//
// Modes are rearranged by [Layout.Take], [Layout.Group], [Layout.Append], [Layout.Prepend], [Layout.Replace] and their
// like, and layouts put together by [Concat].
//
//	(4,5,6):(1,4,20).Select(2, 0) = (6,4):(20,1)
//	(4,5,6):(1,4,20).Take(1, 3) = (5,6):(4,20)
//	(4,5,6):(1,4,20).Group(0, 2) = ((4,5),6):((1,4),20)
//	(4,5):(1,4).Append(6:20) = (4,5,6):(1,4,20)
//	(4,5):(1,4).Prepend(6:20) = (6,4,5):(20,1,4)
//	(4,5):(1,4).AppendTo(3) = (4,5,1):(1,4,0)
//	(4,5):(1,4).PrependTo(3) = (1,4,5):(0,1,4)
//	(4,5):(1,4).Replace(1, (2,2):(9,1)) = (4,(2,2)):(1,(9,1))
//	((2,2),3):((1,6),2).Flatten() = (2,2,3):(1,6,2)
//	(2,2,3):(1,6,2).Unflatten(((0,0),0)) = ((2,2),3):((1,6),2)
//	Concat(4:1, (2,3):(4,8)) = (4,(2,3)):(1,(4,8))
//
// Layouts are made after others, and divided or repeated by what is at hand: the copy of one without its gaps, the registers
// of a thread, any n of a shape's positions, the shifts to a shape, the tiles of each mode.
//
//	LayoutLike((4,3):(5,1)) = (4,3):(3,1)
//	FragmentLike(((2,4),8,3):((16,1),96,32)) = ((2,4),8,3):((1,2),24,8)
//	DomainDistribute((15,14), 6) = (3,2):(1,15)
//	ComplementShape(2:1, (5,3)) = 9:2
//	CompositionTiler((8,100):(100,1), (2,5)) = (2,5):(100,1)
//	TileToShapeOrder((2,2):(2,1), (4,6), (1,0)) = ((2,2),(2,3)):((2,12),(1,4))
//	FilterZeros((2,4,3):(0,1,4)) = (1,4,3):(0,1,4)
//	FilterModes((2,(4,3)):(0,(1,0)), (1,1)) = (1,4):(0,1)
//	DomainOffset((9,4):(4,1), (4,2)) = (9,4):(4,1) at 18
//	LocalTileProj((128,64):(1,128), (32,99,8), (1,2,_), (1,X,1)) = (32,8,8):(1,128,1024) at 32
//	LocalPartitionProj((16,8):(8,1), (16,16):(16,1), (1,X)) = ((16,16),(1,8)):((0,8),(0,1))
//
// Elements and vectors:
//
//	Upcast((8,3):(1,16), 4) = (2,3):(1,4)
//	Downcast((2,3):(1,4), 4) = (8,3):(1,16)
//	MaxAlignment((8,3):(1,16)) = 8
//	MaxCommonLayout((8,4):(4,1), (8,4):(4,1)) = (4,8):(8,1)
//	Coshape((4,(2,3)):(2@1,(1@0,8@1))) = (2,23)
//
// Shapes and coordinates have their own arithmetic, element by element, or by an integer that is handed from mode to mode. An
// order of coordinates is colexicographic, lexicographic, or "inside": each element is less.
//
//	CeilDiv((16,5), (4,2)) = (4,3)
//	CeilDiv((4,16), 46) = (1,2)
//	CeilDivLayout(10, 4:1) = 3
//	RoundUp((10,4), (4)) = (12,4)
//	ShapeDiv((3,4), 6) = (1,2)
//	EvenlyDivides((8,6), (4,3)) = true
//	ElemScale((4,16), ((21,16),(7,2))) = (1344,224)
//	InnerProduct((3,(1,2)), (2,(1,8))) = 23
//	Product((4,(2,8))) = 64
//	ProductEach((4,(2,8))) = (4,16)
//	ProductLike((4,(2,(3,5))), (0,(0,0))) = (4,(2,15))
//	PrefixProduct((2,(3,4)), 1) = (1,(2,6))
//	CompactColMajor((2,3), 8) = (8,16)
//	CompactRowMajor((2,3), 8) = (24,8)
//	TupleMax((4,(2,8))) = 8
//	Flatten((4,(2,8))) = (4,2,8)
//	Dice((1,X,1), (128,64,8)) = (128,8)
//	Crd2Crd((1,2), (2,3), 6) = 5
//	WeaklyCongruent((4,5), (4,(2,3))) = true
//	ElemLess((3,(1,2)), (4,(2,8))) = true
//	LexLess((1,9), (2,0)) = true
//	ColexLess((1,9), (2,0)) = false
//
// Swizzles:
//
//	MakeSwizzle(192, 6) = Sw<2,1,5>
//	Sw<2,4,3>.Compose(Sw<1,6,3>) = Sw<3,4,3>
//	Sw<3,4,3>.Upcast(4) = Sw<3,2,3>
//	Sw<3,2,3>.Downcast(4) = Sw<3,4,3>
//	CompositionSwizzle((4,4):(4,1), Sw<1,0,2>) = Sw<1,0,-2> o 0 o (4,4):(4,1)
//	CompositionSwizzled((8,8):(8,1), Sw<2,0,-3> o 0 o (8,8):(8,1)) = Sw<2,0,3> o 0 o (8,8):(1,8)
//	LogicalProductSwizzled(4:1, Sw<1,0,2> o 0 o 8:1) = Sw<1,2,2> o 0 o (4,8):(1,4)
//	Sw<1,0,1> o 0 o (4,4):(8,1).LeftInverse() = Sw<1,2,1> o 0 o (8,4):(4,1)
//	Sw<1,0,2> o 0 o (2,4):(4,1).Complement(16) = 2:8
//	Sw<1,0,2> o 4 o (2,(4,2)):(8,(1,4)).Coalesce() = Sw<1,0,2> o 4 o (2,8):(8,1)
//	Sw<2,3,3> o 0 o (16,64):(64,1).DomainOffset((3,5)) = Sw<2,3,3> o 197 o (16,64):(64,1)
//	Sw<3,3,3> o 0 o (8,64):(64,1).Upcast(4) = Sw<3,1,3> o 0 o (8,16):(16,1)
//	Sw<3,3,3> o 0 o (8,64):(64,1).Downcast(2) = Sw<3,4,3> o 0 o (8,128):(128,1)
//	Sw<2,3,3> o 0 o (16,64):(64,1).MaxAlignment() = 8
//	Sw<2,3,3> o 0 o (8,64):(64,1).MaxCommonVector((8,64):(64,1)) = 8
//	Sw<2,3,3> o 0 o (8,64):(64,1).MaxCommonLayout((8,64):(64,1)) = 8:8
//
// Values are made by [Int], [Ints], [Basis] and [MakeTuple], or read from texts by [ParseTuple], [ParseLayout], [ParseTiler],
// [ParseSwizzle] and [ParseComposed]; each prints as a text that reads as itself. A text that is none is a [SyntaxError], with
// a picture that points at the fault.
//
// # Sizes that are known at run time
//
// Here all integers are known. Package dynamic has the same operations where extents and strides may be names, such as
// (M,K):(lda,1): its answers hold for every value, and what depends on the value is refused.
//
// # From another module
//
// This module is called cutegen and is on no proxy. The go.mod of another one says where the checkout is, and its programs
// import "cutegen/algebra":
//
//	require cutegen v0.0.0
//
//	replace cutegen => ../cutegen
//
// # Where this differs from CuTe
//
// Results have CuTe C++'s form wherever CuTe is right. CuTe misses carries between the modes of a composition's right side,
// and refuses some that exist; here they are decided exactly. Complements of layouts that are not injective, tilers that
// leave positions uncovered, coordinates out of range and values beyond 64 bits are errors. The cosize of a swizzled layout
// counts the swizzle.
package algebra
