package bind

import "strings"

// Status is one of the codes, not positive, that every launcher may return. Positive codes are cudaError_t.
type Status struct {
	Code int
	// Name is the C macro's.
	Name string
	// Meaning completes "NAME: ...".
	Meaning string
}

// Statuses returns the status codes of the launcher ABI (docs/architecture.md), from 0 down.
func Statuses() []Status {
	return []Status{
		{0, "CUTEGEN_OK", "launched, or nothing to do (an empty problem launches nothing)"},
		{-1, "CUTEGEN_NULL_POINTER", "a pointer that would be used is null"},
		{-2, "CUTEGEN_NEGATIVE_SIZE", "an extent, leading dimension or batch stride is negative"},
		{-3, "CUTEGEN_LEADING_DIMENSION", "a leading dimension is less than max(1, the row's length)"},
		{-4, "CUTEGEN_MISALIGNED", "a pointer, leading dimension or batch stride breaks the alignment that the kernel's vector width needs"},
		{-5, "CUTEGEN_GRID_LIMIT", "more tiles than one launch can have"},
		{-6, "CUTEGEN_REACH", "an extent or an offset inside one tile does not fit in 32 bits"},
		{-7, "CUTEGEN_OVERLAP", "the batch stride of the output is less than one matrix"},
	}
}

// goName turns CUTEGEN_NULL_POINTER into NullPointer. OK stays OK.
func (s Status) goName() string {
	name := strings.TrimPrefix(s.Name, "CUTEGEN_")
	if name == "OK" {
		return name
	}
	words := strings.Split(name, "_")
	for i, w := range words {
		words[i] = w[:1] + strings.ToLower(w[1:])
	}
	return strings.Join(words, "")
}
