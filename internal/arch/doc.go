// Package arch has no code: its tests keep the project to docs/architecture.md. Which package may import which, that each says what it
// is for, that templates compute nothing, and that no file names the machine it was written on.
package arch
