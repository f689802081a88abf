package dynamic_test

import (
	"fmt"

	"cutegen/algebra/dynamic"
)

// A matrix of run-time extents in tiles of 128 by 8. With M = 300 it has 3 tiles of rows, the last one for 44 rows.
func ExampleZippedDivide() {
	tile, err := dynamic.ParseTiler("(128,8)")
	if err != nil {
		fmt.Println(err)
		return
	}
	tiles, err := dynamic.ZippedDivide(dynamic.MustParse("(M,K):(lda,1)"), tile)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tiles)
	fmt.Println(tiles.With(map[string]dynamic.Int{"M": dynamic.Const(300), "K": dynamic.Const(16), "lda": dynamic.Const(20)}))
	// Output:
	// ((128,8),(ceil(M/128),ceil(K/8))):((lda,1),(128*lda,8))
	// ((128,8),(3,2)):((20,1),(2560,8)) <nil>
}
