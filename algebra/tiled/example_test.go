package tiled_test

import (
	"fmt"

	"cutegen/algebra"
	"cutegen/algebra/atom"
	"cutegen/algebra/tiled"
)

// Four warps of mma.m16n8k16, fed by ldmatrix: which coordinates thread 37 multiplies, and from which row it gives the address.
func Example() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	mma, err := atom.ByName("SM80_16x8x16_F32F16F16F32_TN")
	must(err)
	product, err := tiled.MakeMMA(mma, algebra.MustLayout("(2,2,1):(1,2,0)"), algebra.Ints(32, 32, 16))
	must(err)
	thread, err := product.Slice(37)
	must(err)
	a, at, err := thread.PartitionA(algebra.MustLayout("(128,64):(1@0,1@1)"))
	must(err)
	fmt.Println("multiplies", a, "at", at)

	ldmatrix, err := atom.CopyByName("SM75_U32x4_LDSM_N")
	must(err)
	half, err := tiled.MakeCopyAtom(ldmatrix, 16)
	must(err)
	load, err := tiled.MakeCopyA(half, product)
	must(err)
	lane, err := load.Slice(37)
	must(err)
	source, at, err := lane.PartitionS(algebra.MustLayout("(128,64):(1@0,1@1)"))
	must(err)
	fmt.Println("reads     ", source, "at", at)
	// Output:
	// multiplies ((2,2,2),4,4):((1@1,8@0,8@1),32@0,16@1) at (17,2)
	// reads      ((8,1),4,4):((1@1,0),32@0,16@1) at (21,0)
}
