//go:build race

package algebra

// slowdown is what the race detector may cost.
const slowdown = 10
