package gpu

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Failures on many goroutines at once: each says why, whichever thread the scheduler would have put it on between its two calls.
func TestEveryFailureToOpenSaysWhy(t *testing.T) {
	fake(t)
	const name = "libcutegen-no-such.so.1"
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				_, err := dlopen(name)
				assert.ErrorContains(t, err, name+": cannot open shared object file")
			}
		})
	}
	group.Wait()
}
