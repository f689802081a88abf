//go:build !race

package algebra

const slowdown = 1
