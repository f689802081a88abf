// Package templates holds the skeletons of the emitted CUDA C++ (the .qtpl files) and the plain structs that they render.
//
// A template decides nothing and computes nothing: each address, guard and loop bound reaches it as finished text, made in package emit
// from a layout. What a skeleton says is the order of things: load, barrier, store.
//
//go:generate sh -c "rm -f *.qtpl.go"
//go:generate go tool qtc -dir=.
package templates

// Unit is what every kernel's files have in common: its names, its documentation and its launcher.
type Unit struct {
	// Name of the launcher; the kernel is Name_kernel.
	Name string
	// Title is one line that says what the kernel computes.
	Title string
	// Layouts are the plan's layouts, for the comment at the head.
	Layouts []Layout
	// Notes are what was proved and predicted, one line each, for the comment at the head.
	Notes []string
	// Signature is the launcher's parameter list in order.
	Signature []Param
	// Checks are the launcher's refusals in order.
	Checks []Check
	// Threads and MinBlocks are the launch bounds; the grid's extents and the kernel's arguments are C expressions.
	Threads, MinBlocks        int
	GridX, GridY, GridZ, Args string
}

// Param is one parameter: its C type, its name, and its meaning for the header.
type Param struct{ Type, Name, Doc string }

// Layout is a named layout, as the comments print it.
type Layout struct{ Name, Text, Doc string }

// Check is one line of the launcher: where Cond holds it returns Status.
type Check struct{ Cond, Status string }

// Line is one declaration of the kernel with the layout that it comes from.
type Line struct{ Comment, Decl string }

// Moves says which vector moves a kernel uses: loads of global memory, loads and stores of shared memory, stores of global memory, C's
// read, update and store, and the pinned offset of a store.
type Moves struct{ Load4, Get4, Put4, Store4, Update4, Pinned bool }

// Vec is one memory instruction: Width registers from Reg on, at address Addr. At the edge of the matrix the same registers move one by
// one: Guard is the condition that they share (the row lies inside the matrix), Elems their own.
type Vec struct {
	Reg, Width  int
	Addr, Guard string
	Elems       []Elem
}

// Elem is one register of a Vec and the condition under which it lies inside its row.
type Elem struct {
	Reg   int
	Guard string
}

// Transpose renders one transpose kernel.
type Transpose struct {
	Unit
	Moves
	// SharedElems is the size of sT, Registers the values that a thread carries each way.
	SharedElems, LoadRegs, StoreRegs int
	// Coordinates declares what depends on the block and the thread.
	Coordinates []Line
	// Inside holds where the whole tile lies inside the matrix.
	Inside string
	// The four accesses in order: global loads, shared stores, shared loads, global stores.
	Load, Put, Get, Store                             []Vec
	LoadComment, PutComment, GetComment, StoreComment string
}

// Gemm renders one SGEMM kernel.
type Gemm struct {
	Unit
	Moves
	SharedA, SharedB int
	// RegsA and RegsB are staged values of a thread's copies, FragA and FragB its fragments, Acc its accumulators.
	RegsA, RegsB, FragA, FragB, Acc int
	Coordinates                     []Line
	// Inside holds where the whole tile of C lies inside the matrix; InsideK where a k tile does, given k0.
	Inside, InsideK string
	// Tiles is the number of k tiles; Stage and NextStage the buffer of k tile kt and of the one after; NextK its first k.
	Tiles, Next, Stage, NextStage, NextK string
	LoadA, LoadB, PutA, PutB             []Vec
	// StepA and StepB advance the global pointers by one k tile.
	StepA, StepB string
	// Bases declares, in the consumer, the pointers of the fragments' base registers.
	PutBases, GetBases                   []Line
	LoadAComment, LoadBComment           string
	PutAComment, PutBComment             string
	GetAComment, GetBComment, AccComment string
	Steps                                []KSteps
	// Rows are the multiply-adds of one k step, in lines, in the order of issue.
	Rows [][]FMA
	Out  []Vec
	// OutCoordinates declares the thread's place in C, after the main loop: before it, they would hold registers through it.
	OutCoordinates []Line
}

// KSteps is a run of k steps of one tile whose fragments use the same base registers.
type KSteps struct {
	From, To int
	A, B     []Vec
}

// FMA is acc[C] += a[A] * b[B].
type FMA struct{ C, A, B int }
