package conformance

// A theme is a part of what a language for parallel kernels has to do.
type theme struct {
	name, about string

	// For a theme without tests: a mark for the first column, and when there will be
	// tests, or why not.
	mark, missing string
}

const preamble = `# Conformance

What is tested, theme by theme. A behaviour is one rule of the language or of the host's side with an example: a row of a
table in a file ` + "`conform_*_test.go`" + `, run on the reference interpreter and as optimised machine code at least. Their
names are listed by

    go test ./internal/runtest/conformance -run Conform -v

These tables are rules one by one. Besides them, ` + "`internal/runtest`" + ` has programs and expressions that run in all layouts,
numbers of threads and levels of optimisation, random kernels, and the functions of ` + "`internal/mathlib`" + ` are compared with
values of high precision. This page is written by a test from the tables, so that it cannot say what is not so.

`

const interlude = `
## Without tests of their own

✓ is tested, but not row by row; ◻ is [planned](architecture.md#what-is-to-come); ✗ is not going to be part of it.

`

const (
	beside  = "✓"
	planned = "◻"
	outside = "✗"
)

// themes are all themes, in the order in which the document lists them. The first
// form is one that must have tests; the other one must say why it has none.
var themes = []theme{
	{name: "branches", about: "if, switch, short circuits, blocks and scopes"},
	{name: "serial loops", about: "all forms of loops, ndrange and static loops, break, continue, labels and return in all nestings"},
	{name: "parallel loops", about: "over ranges, products of ranges, slices, fields; what stands between and within them"},
	{name: "functions", about: "arguments, results, references, early returns, calls of calls, functions out of line"},
	{name: "structs", about: "values, members, methods, nesting, arrays of them, generic ones; as parameters, results and elements of slices"},
	{name: "templates", about: "generic functions and types, compile-time parameters, functions and literals as arguments"},
	{name: "sections", about: "rows, columns, parts and parts of parts of fields as arguments: read, written, referred to, in parallel, with origins"},
	{name: "libraries", about: "functions, generic ones, types with methods and constants of other packages; libraries of libraries; names"},
	{name: "inference", about: "what type an expression has when none is written"},
	{name: "arguments and results", about: "scalars, vectors and matrices of every type, many at once, returns before and after loops"},
	{name: "slices and arrays", about: "the caller's memory: elements of every type, loops, functions, shapes"},
	{name: "printing", about: "print and printf of every type, from loops and functions, in order"},
	{name: "failures", about: "assertions and indices out of range: message, position, iteration"},
	{name: "mistakes", about: "what is said of a source that is wrong, and what to write instead"},

	{name: "integer division", about: "quotients and remainders by the signs of both, by zero, of each width"},
	{name: "shifts and bits", about: "shifts by any count, bit operations, counting bits, bitcast"},
	{name: "conversions", about: "between all scalar types, with saturation, truncation and a single rounding"},
	{name: "wrapping", about: "integers at the ends of their ranges"},
	{name: "floats", about: "NaN, infinities, zeros with a sign, minimum and maximum, rounding functions"},
	{name: "comparisons", about: "by type, and what joins them"},
	{name: "constants", about: "arithmetic at compile time, what fits and what does not"},

	{name: "vectors", about: "construction, swizzles, operators, functions, as variables"},
	{name: "matrices", about: "construction, elements and rows, operators and products, functions, as variables"},
	{name: "linear algebra", about: "systems of equations, inverses, singular values, eigenvalues, polar and QR decompositions"},
	{name: "atomics", about: "each operation and width, components and members, old values, comparison and exchange"},
	{name: "reductions", about: "each operation, into variables, vectors, matrices, arrays and members; where they may stand"},
	{name: "compile time", about: "branches, unrolled loops, assertions, templates, what is known of types and fields"},
	{name: "several loops", about: "loops after each other, values that cross them, bounds of every kind, early returns, serial parts"},
	{name: "optimisation", about: "programs that tempt a pass to change what they compute"},

	{name: "fields", about: "element types, zero to eight axes, shape and length, indices, elements as variables"},
	{name: "layouts", about: "rows, columns, structures of arrays, blocks, Z-order, several children, up to four axes"},
	{name: "origins", about: "fields whose lowest index is not zero"},

	{name: "sparse structures", about: "cells that are activated on writing, lists, bitmaps, hashed blocks, loops over active cells"},

	{name: "quantised types", about: "numbers of any bit width packed into words, and shared exponents: what they hold, round and saturate to"},

	{name: "random numbers", about: "ranges, moments and independence; what they depend on"},
	{name: "memory between launches", about: "what a launch leaves for the next, and for the host; slices; launches that fail"},
	{name: "several runtimes", about: "side by side, one after another, of different devices and widths"},
	{name: "derivatives", about: "of each function and operator, through control flow, arrays, fields, reductions and atomics, by the reverse and the forward mode"},

	{name: "access from the host", about: "copying, streams, members, binding by name and path, signatures, configuration, closing, wrong use",
		mark: beside, missing: "tests of the module's root package, `internal/bind`, `internal/hostabi`, `internal/store` and `internal/variant`"},
	{name: "debug mode", about: "overflow, division by zero, NaN, races between iterations, positions and values in what is reported",
		mark: beside, missing: "debug_test.go and race_test.go of `internal/runtest/program`, all programs of which run in debug mode too"},
	{name: "tools", about: "commands, profiles, traces, coverage, reports, warnings",
		mark: beside, missing: "scripts in cmd/ti/testdata, and the tests of vet, explain and driver"},
	{name: "cache of compiled code", about: "code kept between runs of a program",
		mark: beside, missing: "diskcache_test.go of `internal/variant`, and `internal/cache`"},
	{name: "ahead of time", about: "kernels compiled into files for several processors",
		mark: beside, missing: "docs/start, build.txtar among the scripts of cmd/ti, and `internal/ahead`; kernels are called from Go, and by a shared library from other languages"},
	{name: "tapes", about: "adjoints of kernels, Hessians, forward mode, custom gradients, checkpoints",
		mark: beside, missing: "`internal/gradient`, `internal/autodiff` with its package compiled, and `gradcheck`"},
	{name: "graphics processors", about: "kernels on devices with a Vulkan driver",
		mark: beside, missing: "`internal/vulkan`; with TI_ARCH=vulkan these tests run on such a device"},
	{name: "more for graphics processors", about: "kernels on CUDA and WGSL, shared memory of a block, warp operations",
		mark: planned, missing: "kernels run by Vulkan, without these"},
	{name: "launch graphs", about: "a sequence of launches recorded once and replayed",
		mark: planned, missing: "launches are cheap on a CPU, so that this waits for graphics processors"},
	{name: "windows and scenes", about: "windows with buttons, drawing of particles and meshes, video files",
		mark: planned, missing: "pictures are written with the standard library's image packages"},
	{name: "meshes", about: "element types and relations of unstructured meshes",
		mark: planned, missing: "fields of indices express them today"},
	{name: "sparse matrices", about: "matrices assembled in kernels, direct and iterative solvers of the host",
		mark: planned, missing: "small dense systems have solve; large ones are written as kernels"},
	{name: "algorithms of the host", about: "prefix sums and sorting as ready functions",
		mark: planned, missing: "both are short kernels"},
	{name: "textures", about: "filtered reads of images by hardware",
		mark: planned, missing: "with graphics processors; on a CPU they are device functions"},
	{name: "arrays of other frameworks", about: "NumPy, PyTorch and Paddle arrays as arguments, DLPack",
		mark: outside, missing: "they are of Python; Go slices are passed without a copy"},
	{name: "host classes", about: "kernels as methods of host objects, decorators, inheritance",
		mark: outside, missing: "a Go struct bound to a source takes the place of the object"},
	{name: "reading host source", about: "kernels found by inspecting the host's functions, in notebooks and interactive sessions",
		mark: outside, missing: "a kernel is a text of its own"},
	{name: "calls of foreign code", about: "C++ functions and LLVM bitcode linked into kernels",
		mark: outside, missing: "kernels are portable text; the module needs no C compiler"},
}
