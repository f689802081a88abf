package atom_test

import (
	"fmt"

	"cutegen/algebra"
	"cutegen/algebra/atom"
)

// Which thread and value holds each element of the accumulator of mma.m16n8k16. The inverse of C finds the position among
// (32 threads, 4 values) by the index into the column-major tile.
func Example() {
	m, err := atom.ByName("SM80_16x8x16_F32F16F16F32_TN")
	if err != nil {
		fmt.Println(err)
		return
	}
	holder, err := algebra.RightInverse(m.C)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Instruction, m.C)
	for row := range m.M {
		for column := range m.N {
			position := holder.At(row + m.M*column)
			fmt.Printf(" %3s", fmt.Sprintf("T%d", position%m.ThrID.Size()))
			fmt.Printf("V%d", position/m.ThrID.Size())
		}
		fmt.Println()
	}
	// Output:
	// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ((4,8),(2,2)):((32,1),(16,8))
	//   T0V0  T0V1  T1V0  T1V1  T2V0  T2V1  T3V0  T3V1
	//   T4V0  T4V1  T5V0  T5V1  T6V0  T6V1  T7V0  T7V1
	//   T8V0  T8V1  T9V0  T9V1 T10V0 T10V1 T11V0 T11V1
	//  T12V0 T12V1 T13V0 T13V1 T14V0 T14V1 T15V0 T15V1
	//  T16V0 T16V1 T17V0 T17V1 T18V0 T18V1 T19V0 T19V1
	//  T20V0 T20V1 T21V0 T21V1 T22V0 T22V1 T23V0 T23V1
	//  T24V0 T24V1 T25V0 T25V1 T26V0 T26V1 T27V0 T27V1
	//  T28V0 T28V1 T29V0 T29V1 T30V0 T30V1 T31V0 T31V1
	//   T0V2  T0V3  T1V2  T1V3  T2V2  T2V3  T3V2  T3V3
	//   T4V2  T4V3  T5V2  T5V3  T6V2  T6V3  T7V2  T7V3
	//   T8V2  T8V3  T9V2  T9V3 T10V2 T10V3 T11V2 T11V3
	//  T12V2 T12V3 T13V2 T13V3 T14V2 T14V3 T15V2 T15V3
	//  T16V2 T16V3 T17V2 T17V3 T18V2 T18V3 T19V2 T19V3
	//  T20V2 T20V3 T21V2 T21V3 T22V2 T22V3 T23V2 T23V3
	//  T24V2 T24V3 T25V2 T25V3 T26V2 T26V3 T27V2 T27V3
	//  T28V2 T28V3 T29V2 T29V3 T30V2 T30V3 T31V2 T31V3
}

// An atom whose swizzle counts bytes, and the same counted in elements.
func ExampleSmem_Elements() {
	for _, s := range atom.Smems() {
		if s.Name == "GMMA_K_SW64" && s.Bits == 16 {
			fmt.Println(s.Swizzle, s.Layout)
			fmt.Println(s.Elements())
		}
	}
	// Output:
	// Sw<2,4,3> (8,32):(32,1)
	// Sw<2,3,3> o 0 o (8,32):(32,1)
}

func ExampleTMEM_Layout() {
	f := atom.TMEM{
		ValueBits: 32, StorageBits: 32, SMs: 1, Alloc: atom.Interleaved,
		M: 64, N: 128, RestM: 2, RestN: 2,
	}
	l, err := f.Layout()
	fmt.Println(l, err)
	// Output: (((16,4),128),2,2):(((65536,2097152),1),1048576,128) <nil>
}
