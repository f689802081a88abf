package algebra_test

import (
	"fmt"

	"cutegen/algebra"
)

// The matrix of the package comment: 4 rows, 8 columns in pairs.
func Example() {
	l := algebra.MustLayout("(4,(2,4)):(2,(1,8))")
	for row := range 4 {
		for column := range 8 {
			offset, _ := l.Index(algebra.Ints(row, column))
			fmt.Printf("%3d", offset)
		}
		fmt.Println()
	}
	// Output:
	//   0  1  8  9 16 17 24 25
	//   2  3 10 11 18 19 26 27
	//   4  5 12 13 20 21 28 29
	//   6  7 14 15 22 23 30 31
}

func ExampleComposition() {
	a := algebra.MustLayout("(6,2):(8,2)")
	b := algebra.MustLayout("(4,3):(3,1)")
	r, _ := algebra.Composition(a, b)
	fmt.Println(r)

	_, err := algebra.Composition(algebra.MustLayout("(4,8):(1,5)"), algebra.MustLayout("6:1"))
	fmt.Println(err)
	// Output:
	// ((2,2),3):((24,2),8)
	// composition (4,8):(1,5) o 6:1 has no layout: at coordinate 4 of 6 (position 4 of the left side) the value is 5, not 4, and 6 coordinates cannot be split after 4
}

// A layout of coordinates picks from a layout of offsets.
func ExampleComposition_coordinates() {
	shared := algebra.MustLayout("(32,16):(17,1)") // padded rows
	tv := algebra.MustLayout("((4,32),4):((4@1,1@0),1@1)")
	offsets, _ := algebra.Composition(shared, tv)
	fmt.Println(offsets)
	// Output: ((4,32),4):((4,17),1)
}

func ExampleComplement() {
	l := algebra.MustLayout("(2,4):(1,6)")
	c, _ := algebra.Complement(l, 24)
	fmt.Println(c)

	_, err := algebra.Complement(algebra.MustLayout("(4,3):(2,6)"), 24)
	fmt.Println(err)
	// Output:
	// 3:2
	// complement of (4,3):(2,6): it is not injective: coordinate (3,0) (position 3) and coordinate (0,1) (position 4) meet at offset 6
}

func ExampleRightInverse() {
	threads := algebra.MustLayout("(128,2):(2,1)") // coordinate -> thread
	position, _ := algebra.RightInverse(threads)
	fmt.Println(position)
	fmt.Println("thread 5 is at", threads.Coord(position.At(5)))
	// Output:
	// (2,128):(128,1)
	// thread 5 is at (2,1)
}

func ExampleZippedDivide() {
	l := algebra.MustLayout("(4,(2,4)):(2,(1,8))")
	tiles, _ := algebra.ZippedDivide(l, algebra.Ints(2, 4))
	fmt.Println(tiles)
	fmt.Println("tile", tiles.Mode(0), "rest", tiles.Mode(1))
	// Output:
	// ((2,(2,2)),(2,2)):((2,(1,8)),(4,16))
	// tile (2,(2,2)):(2,(1,8)) rest (2,2):(4,16)
}

// The tile of a thread block, in coordinates: the part that it covers and where it begins.
func ExampleLocalTile() {
	matrix, _ := algebra.Identity(algebra.Ints(512, 256))
	tile, at, _ := algebra.LocalTile(matrix, algebra.Ints(128, 8), algebra.MakeTuple(algebra.Int(3), algebra.Underscore))
	fmt.Println(tile, "at", at)
	// Output: (128,8,32):(1@0,1@1,8@1) at (384,0)
}

// A copy of a (128,8) tile by 256 threads in vectors of 4 floats along a row.
func ExamplePartitionTV() {
	tile, _ := algebra.Identity(algebra.Ints(128, 8))
	tv, _ := algebra.PartitionTV(tile, algebra.MustLayout("(128,2):(2,1)"), algebra.Ints(1, 4))
	fmt.Println(tv)
	coord, _ := tv.Value(algebra.Ints(3, 2, 0))
	fmt.Println("thread 3, value 2:", coord)
	global, _ := algebra.Dot(tv, 1024, 1)
	fmt.Println("in global memory:", global)

	_, err := algebra.PartitionTV(tile, algebra.MustLayout("(128,2):(2,1)"), algebra.Ints(1, 3))
	fmt.Println(err)
	// Output:
	// ((2,128),(1,4),(1,1)):((4@1,1@0),(0,1@1),(0,0))
	// thread 3, value 2: (1,6)
	// in global memory: ((2,128),(1,4),(1,1)):((4,1024),(0,1),(0,0))
	// partition (128,8):(1@0,1@1) by threads (128,2):(2,1) and values (1,3): mode 1: 2 threads of 3 values do not divide 8; the first uncovered coordinate is (0,6)
}

// SGEMM's threads (16,16) read A by their row only: the 16 threads of a row share what they read.
func ExamplePartitionTVProj() {
	a, _ := algebra.Identity(algebra.Ints(128, 8))
	proj := algebra.MakeTuple(algebra.Int(1), algebra.Underscore)
	tv, _ := algebra.PartitionTVProj(a, algebra.MustLayout("(16,16):(16,1)"), algebra.Ints(4), proj)
	fmt.Println(tv)
	// Output: ((16,16),(4),(2,8)):((0,4@0),(1@0),(64@0,1@1))
}

func ExampleComposed() {
	c, _ := algebra.ParseComposed("Sw<1,0,2> o 0 o (4,4):(4,1)")
	for row := range 4 {
		for column := range 4 {
			offset, _ := c.Index(algebra.Ints(row, column))
			fmt.Printf("%3d", offset)
		}
		fmt.Println()
	}
	// Output:
	//   0  1  2  3
	//   5  4  7  6
	//   8  9 10 11
	//  13 12 15 14
}

func ExampleLeftInverse() {
	padded := algebra.MustLayout("(4,2):(1,8)")
	position, _ := algebra.LeftInverse(padded)
	fmt.Println(position)
	fmt.Println("offset 10 is at", padded.Coord(position.At(10)))
	// Output:
	// (8,2):(1,4)
	// offset 10 is at (2,1)
}

// An 8 by 64 swizzled atom, repeated until it fills a tile of shared memory.
func ExampleTileToShape() {
	atom, _ := algebra.ParseComposed("Sw<3,3,3> o 0 o (8,64):(64,1)")
	tile, _ := atom.With(algebra.TileToShape(atom.Layout, algebra.Ints(32, 128)))
	fmt.Println(tile)
	// Output: Sw<3,3,3> o 0 o ((8,4),(64,2)):((64,512),(1,2048))
}

// The same shared memory, in halves, in floats, and in vectors of 8 halves.
func ExampleComposed_Recast() {
	halves, _ := algebra.ParseComposed("Sw<3,3,3> o 0 o (8,64):(64,1)")
	floats, _ := halves.Recast(16, 32)
	fmt.Println(floats)
	vectors, _ := halves.Recast(16, 128)
	fmt.Println(vectors)
	// Output:
	// Sw<3,2,3> o 0 o (8,32):(32,1)
	// Sw<3,0,3> o 0 o (8,8):(8,1)
}

// Row 1 of the swizzled matrix of the package comment is a plain layout.
func ExampleComposed_Slice() {
	c, _ := algebra.ParseComposed("Sw<1,0,2> o 0 o (4,4):(4,1)")
	row, at, _ := c.Slice(algebra.MakeTuple(algebra.Int(1), algebra.Underscore))
	fmt.Println(row, "at", at)
	column, at, _ := c.Slice(algebra.MakeTuple(algebra.Underscore, algebra.Int(1)))
	fmt.Println(column, "at", at)
	// Output:
	// ((2,2)):((-1,2)) at 5
	// ((2,2)):((3,8)) at 1
}

// Which elements can be copied as vectors between two layouts of one tile?
func ExampleMaxCommonVector() {
	global := algebra.MustLayout("(8,4):(1,1024)")
	n, _ := algebra.MaxCommonVector(global, algebra.MustLayout("(8,4):(1,8)"))
	fmt.Println(n)
	n, _ = algebra.MaxCommonVector(global, algebra.MustLayout("(8,4):(4,1)"))
	fmt.Println(n)
	// Output:
	// 8
	// 1
}

func ExampleShapeDiv() {
	left, _ := algebra.ShapeDiv(algebra.Ints(3, 4), algebra.Int(6))
	fmt.Println(left)
	_, err := algebra.ShapeDiv(algebra.Ints(3, 4), algebra.Int(9))
	fmt.Println(err)
	// Output:
	// (1,2)
	// shape_div of (3,4) by 9: neither 4 nor 3 divides the other
}
