package templates

// Formula is a kernel that stores an index.
type Formula struct {
	Name, Comment string
	// Params are its parameters of type int, Decls its declarations.
	Params, Decls []string
	// Loops are unrolled around the store, the first outermost.
	Loops []Loop
	// At and Value are the store: out[At] = Value.
	At, Value string
}

// Loop counts a variable from 0 to Extent-1.
type Loop struct {
	Var    string
	Extent int
}
