package gputests

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlacement(t *testing.T) {
	// before 4 | offset 1 | (0,0) (0,1) (0,2) pad pad | (1,0) (1,1) (1,2) | gap of 3 | the same again | after 6
	p := placement{batch: 2, rows: 2, cols: 3, ld: 5, stride: 11, offset: 1, before: 4, after: 6}
	assert.Equal(t, 4+1+11+8+6, p.size())
	assert.Equal(t, 5, p.at(0, 0, 0))
	assert.Equal(t, 5+11+5+2, p.at(1, 1, 2))
	for position, want := range map[int]string{
		0: "5 elements before C", 4: "1 elements before C",
		5: "C[0](0,0)", 7: "C[0](0,2)",
		8: "the padding 1 elements after row 0 of C[0]", 9: "the padding 2 elements after row 0 of C[0]",
		10: "C[0](1,0)", 12: "C[0](1,2)",
		13: "1 elements after the end of C[0]", 15: "3 elements after the end of C[0]",
		16: "C[1](0,0)", 23: "C[1](1,2)", 24: "1 elements after the end of C[1]", 29: "6 elements after the end of C[1]",
	} {
		assert.Equal(t, want, p.locate("C", position), "%d", position)
	}
	assert.Len(t, p.poisoned(), p.size())

	single := placement{batch: 1, rows: 2, cols: 3, ld: 5, before: 4, after: 6}
	inside := 0
	for i := range single.size() {
		if single.inside(i) {
			inside++
		}
	}
	assert.Equal(t, 6, inside)
	assert.True(t, single.inside(single.at(0, 1, 2)))
	assert.False(t, single.inside(single.at(0, 1, 2)+1))
	assert.Equal(t, "C(1,2)", single.locate("C", single.at(0, 1, 2)))

	empty := placement{batch: 1, rows: 0, cols: 3, ld: 5, offset: 1}
	assert.Equal(t, 1, empty.size())
	assert.Len(t, placement{}.poisoned(), 1, "there is no allocation of 0 bytes")
}
