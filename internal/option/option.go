package option

// Options say how kernels are compiled. Each part of the compiler reads those that concern
// it. The zero value compiles safe code with fast maths, without optimisation.
type Options struct {
	Level         int  // of optimisation, 0 to 3; at 0 only the passes run that later forms need
	Unchecked     bool // no index checks
	Strict        bool // IEEE order in all arithmetic
	Threads       int  // that share the loops; 0 if that is not known
	Deterministic bool // results must not depend on the number of threads
	Ranks         bool // several machines share loops: what is summed at one place is merged in the order of chunks, whatever the operation; needs Deterministic
	Debug         bool // checks of integer arithmetic, and records of accesses by which races are found
	CheckNaN      bool // checks that no operation on numbers gives a NaN
	Settled       bool // the cells that stores need are active already, and nothing is activated
	Verify        bool // verify the IR after every pass
	VerifyTasks   bool // compile each task in several batches, and compare the code
	Without       Switches

	// FailIn names a step that fails, for tests of what comes of that: a pass, "llvm" or "load". All steps of one
	// kernel succeed once all parts that can be left out are.
	FailIn string

	// MaxUnrolled is the number of components up to which a value is taken apart into
	// scalars; 0 stands for typed.MaxUnrolled.
	MaxUnrolled int

	// ForceVectors is the number of iterations of a parallel loop per vector, whatever
	// LLVM's cost model says; 0 leaves the choice to LLVM. It is for tests: otherwise the
	// processor decides which loops are vectorised.
	ForceVectors int

	// StreamFrom is how many bytes a loop must fill for its stores to be streamed past the
	// caches, in rows of any length; 0 leaves the choice to the pass. It is for tests, whose
	// fields are small.
	StreamFrom int
}
