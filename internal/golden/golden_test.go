package golden

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ want, got, diff string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nb\n", "a\nc\n", "line 2\n  want b\n  got  c"},
		{"a\nb\n", "a\nb", "line 3\n  want \n  got  "},
		{"a", "a\nb", "line 2\n  want \n  got  b"},
	} {
		assert.Equal(t, c.diff, firstDifference([]byte(c.want), []byte(c.got)))
	}
}
