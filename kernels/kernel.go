// Package kernels holds what every kernel family shares: the finished Kernel, its Manifest, and the hash that ties a
// recorded result to a source.
package kernels

// Kernel is one generated kernel: the end of the flow spec -> plan -> proofs -> expressions -> source.
type Kernel struct {
	Manifest Manifest
	// Source is the text of NAME.cu: the __global__ function, its extern "C" launcher, and the stamp.
	Source string
	// Header is the text of NAME.h: the launcher's declaration and the status codes.
	Header string
}

// Manifest is what a program that launches the kernel, or a person who reads about it, has to know. It is written as
// NAME.json.
type Manifest struct {
	// Name is the kernel's name, the launcher's symbol, and the stem of its files.
	Name string `json:"name"`
	// Family is "transpose" or "sgemm".
	Family string `json:"family"`
	// Twin is the stem of the handwritten twin under gpu-tests/twins, or "".
	Twin string `json:"twin,omitempty"`
	// Spec is the configuration, as the spec file states it.
	Spec map[string]string `json:"spec"`
	// Params are the launcher's parameters in order.
	Params []Param `json:"params"`
	// Layouts are the plan's named layouts.
	Layouts []NamedLayout `json:"layouts"`
	Launch  Launch        `json:"launch"`
	// Alignment lists what the launcher demands of pointers and leading dimensions.
	Alignment []Alignment `json:"alignment"`
	// Proofs says what was proved before the source was printed.
	Proofs []Proof `json:"proofs"`
	// Counts holds the predicted memory transactions of each access.
	Counts []Count `json:"counts"`
	// SourceHash is Hash(Source).
	SourceHash string `json:"source_hash"`
}

// Param is one parameter of the launcher: its C type and name.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc"`
}

// NamedLayout is a layout of the plan under its CuTe name.
type NamedLayout struct {
	Name   string `json:"name"`
	Layout string `json:"layout"`
	Doc    string `json:"doc"`
}

// Launch is the shape of one launch.
type Launch struct {
	// Threads per block (CTA).
	Threads int `json:"threads"`
	// Tile is the part of the problem that one block does, in elements.
	Tile []int `json:"tile"`
	// Grid says which tile coordinate each grid dimension counts.
	Grid string `json:"grid"`
	// SharedBytes of static shared memory per block, from the cosize of the layouts.
	SharedBytes int `json:"shared_bytes"`
	// MinBlocks per multiprocessor, as in __launch_bounds__.
	MinBlocks int `json:"min_blocks"`
}

// Alignment is a demand on one parameter: its value (a pointer in bytes, a leading dimension or batch stride in
// elements) must be a multiple of Multiple.
type Alignment struct {
	Param    string `json:"param"`
	Multiple int    `json:"multiple"`
	Unit     string `json:"unit"` // "bytes" or "elements"
}

// Proof is one property that was decided before printing, and over how many points.
type Proof struct {
	Name   string `json:"name"`
	Domain int    `json:"domain"`
}

// Count is what one access costs, against the least that any layout could cost.
type Count struct {
	Access string `json:"access"`
	// Unit is "sectors" (32 bytes of global memory) or "wavefronts" (128 bytes of shared memory).
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Ideal float64 `json:"ideal"`
}
