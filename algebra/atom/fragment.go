package atom

import (
	"fmt"

	"cutegen/algebra"
)

// mode is one mode of a layout: extent:stride.
type mode struct{ extent, stride int }

// tv is the layout (threads, values). No modes are 1:0, one is a leaf, more are a tuple.
func tv(threads, values []mode) algebra.Layout {
	threadShape, threadStride := tuples(threads)
	valueShape, valueStride := tuples(values)
	return layout(algebra.MakeTuple(threadShape, valueShape), algebra.MakeTuple(threadStride, valueStride))
}

func tuples(modes []mode) (shape, stride algebra.Tuple) {
	switch len(modes) {
	case 0:
		return algebra.Int(1), algebra.Int(0)
	case 1:
		return algebra.Int(modes[0].extent), algebra.Int(modes[0].stride)
	}
	extents, strides := make([]int, len(modes)), make([]int, len(modes))
	for i, m := range modes {
		extents[i], strides[i] = m.extent, m.stride
	}
	return algebra.Ints(extents...), algebra.Ints(strides...)
}

// layout is for shapes and strides that are facts of this package, so that an error is a mistake in it.
func layout(shape, stride algebra.Tuple) algebra.Layout {
	l, err := algebra.MakeLayout(shape, stride)
	if err != nil {
		panic("bug: atom: " + err.Error())
	}
	return l
}

// threads is n threads, counted from 0.
func threads(n int) algebra.Layout { return layout(algebra.Int(n), algebra.Int(1)) }

// one is a single thread.
func one() algebra.Layout { return layout(algebra.Int(1), algebra.Int(0)) }

// fragment is the distribution of a rows x columns tile over a warp that every operand of mma.sync has (PTX ISA 9.7.14.5.3
// to 9.7.14.5.13). The tile is made of blocks of 8 rows. In a block, row g belongs to the group of lanes 4g to 4g+3, and lane
// t of a group holds the packed neighbouring columns t*packed to t*packed+packed-1: one 32-bit register, if values are
// narrower.
//
//	groupID = lane / 4,  threadID_in_group = lane % 4
//	row     = groupID                            + 8 * (which block of rows)
//	column  = threadID_in_group*packed + (0 to packed-1) + 4*packed * (which block of columns)
//
// Values run over the packed columns first, then over the blocks of rows, then over the blocks of columns.
//
// A is such a tile of (M,K), B of (N,K), both with as many packed values as fit in 32 bits. C and D are tiles of (M,N)
// with two values packed whatever their type.
func fragment(rows, columns, packed int) algebra.Layout {
	var values []mode
	for _, m := range []mode{{packed, rows}, {rows / 8, 8}, {columns / (4 * packed), 4 * packed * rows}} {
		if m.extent > 1 {
			values = append(values, m)
		}
	}
	return tv([]mode{{4, packed * rows}, {8, 1}}, values)
}

// warpgroupFragment is the distribution of 64 x columns over a warpgroup (PTX ISA 9.7.15.5.1.1): warp w has the fragment of
// rows 16w to 16w+15. The mode over the blocks of columns is there even if there is one, so that the accumulators for
// all N have one profile.
func warpgroupFragment(columns, packed int) algebra.Layout {
	const rows = 64
	values := []mode{{2, 8}, {columns / (4 * packed), 4 * packed * rows}}
	if packed > 1 {
		values = append([]mode{{packed, rows}}, values...)
	}
	return tv([]mode{{4, packed * rows}, {8, 1}, {4, 16}}, values)
}

// shared is an operand in shared memory, read through a descriptor: each of n threads names the whole tile.
func shared(n, rows, columns int) algebra.Layout {
	return layout(
		algebra.MakeTuple(algebra.Int(n), algebra.Ints(rows, columns)),
		algebra.MakeTuple(algebra.Int(0), algebra.Ints(1, rows)))
}

// packed is how many values of a type share a 32-bit register.
func packed(t Type) int { return max(1, 32/t.Bits) }

func shapeName(m, n, k int) string { return fmt.Sprintf("%dx%dx%d", m, n, k) }
