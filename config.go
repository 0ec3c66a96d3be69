package ti

import (
	"io"
	"time"

	"github.com/gotaichi/ti/internal/config"
)

// Config says how a [Runtime] works. The zero value is a good choice: this
// machine's CPU with all its processors, and checked indices.
//
// A field left at its zero value is filled in from the environment, if the variable named in brackets is set, so that
// a user can look into a program without rebuilding it. (For work on the compiler, TI_OPT=0 … 3 sets how much code is
// optimised, TI_VERIFY=1 checks the code after every pass, TI_TIME=1 prints to standard error how long each step of
// compiling a kernel took, TI_VERIFY_TASKS=1 compiles each task in several batches and compares the code, and
// TI_EXTENTS_AT_LAUNCH=1 makes no code for the first sizes of fields alone. TI_WITHOUT=name,name leaves out parts of
// the compiler, which ti ir -without list names; results stay the same. TI_FORCE_VECTORS=8 makes LLVM vectorise every
// parallel loop that it can, 8 iterations at a time, whether it pays or not. TI_STREAM_FROM=1 makes loops that fill so
// many bytes write them past the caches. TI_COPY_FROM=1 has fields of so many numbers copied by compiled kernels from
// the first copy on. TI_MAX_UNROLLED is the number of components beyond which vectors, matrices and structs are
// computed by loops. TI_SPREAD=1 makes threads share every loop, however short, a few iterations at a time, for tests
// of what their order changes. TI_PRINT_BUFFER bounds the bytes that each thread keeps of printed text until a loop
// ends; MemoryLimit may leave less. TI_PROCESSOR=x86-64-v3, or LLVM's name of a processor such as haswell, generates
// code for that processor instead of this machine's, which must have all its instructions; ti doctor says what code
// is made for.)
type Config struct {
	// Arch is what kernels run on; the zero value is [CPU]. [TI_ARCH]
	Arch Arch

	// Device selects one of several devices of Arch, by [Device.Index]: graphics processors are counted from 0, and devices
	// in software follow, from 1 at least. So 0 is never one in software: it is taken only where Device names it. Arch must
	// be one with several devices, such as [Vulkan]; TI_DEVICE does not matter to others. [TI_DEVICE]
	Device int

	// Threads is the number of CPU threads that share a parallel loop; 0 means
	// one for each processor that the process may use. More than 256, and more than
	// four for each processor, are as good as these. [TI_THREADS]
	Threads int

	// Int and Float are the widths in bits of the kernel language's int and
	// float: 32 (also meant by 0) or 64. A source that names i32 or f64 gets it.
	Int, Float int

	// Unchecked drops the index checks that the compiler could not prove needless.
	// By default an index out of range never touches other memory: a read gives
	// zero, a write is dropped, and the launch fails with [ErrRange], naming
	// kernel, position, index and shape. With Unchecked it is undefined what
	// happens. [TI_UNCHECKED=1]
	Unchecked bool

	// Debug checks, besides indices, the arithmetic of kernels and their parallel
	// loops; they run up to 100 times slower, each loop in order on one thread. A failure names
	// kernel, position, iteration and values; the kernel goes on, with the result that
	// it has without Debug. Index checks stay on, whatever Unchecked says. Checked are:
	//
	//   - signed integers: results of + - * / and unary -, of ++ and the like, of
	//     abs, sums and products that do not fit, shifts by negative counts, and
	//     conversions of floats that do not fit ([ErrOverflow]); unsigned integers
	//     wrap by design, as hashes need it, and so do conversions of integers;
	//   - integer division and remainder by zero ([ErrDivide]);
	//   - races: two iterations of a parallel loop touch the same element of a field,
	//     slice or array, and one of them writes it other than by an atomic operation
	//     ([ErrRace]). They are found whatever the timing. Slices are told apart by
	//     their parameters, not by their memory. The accesses of a loop are kept until
	//     it ends, in up to half of the memory that trees leave. If a loop has more of
	//     them, the launch runs to its end and fails with [ErrMemory], unless a race
	//     was found;
	//   - the backward pass of a tape: what numbers make that is not a number ([ErrNaN]),
	//     and the rules of data access ([ErrAccess]).
	//
	// Variables start as zero, so that no read is of an unset one. [TI_DEBUG=1]
	Debug bool

	// CheckNaN makes launches fail with [ErrNaN] where an operation on numbers gives
	// none, such as 0/0 or sqrt(-1). It works with and without Debug.
	// [TI_CHECK_NAN=1]
	CheckNaN bool

	// StrictMath keeps floating-point operations in source order and unfused, as
	// IEEE 754 has them. By default they may be reassociated and contracted; NaN
	// and infinities are honoured either way. The iterations of a parallel loop have no
	// order even so, and neither have sums over them; what one iteration adds to an
	// element of its own is added in source order. [TI_STRICT_MATH=1]
	StrictMath bool

	// Deterministic makes the results of a launch the same to the last bit whatever
	// the number of threads, and from one run to the next. Sums of floats are taken
	// over the same pieces of a loop and merged in the same order; a loop whose
	// result would depend on the order of its iterations nevertheless (it uses old
	// values of atomics, or adds floats to elements of a field that is too large for
	// a few copies) runs in order on one thread. On two threads a large sum and the
	// grid of a particle method (bench cases reduce_sum and mpm88) take at most 1.1
	// times as long, loops of a few microseconds twice as long. Kernels whose
	// iterations race for an element without atomics stay what they are.
	// [TI_DETERMINISTIC=1]
	Deterministic bool

	// Seed starts the random numbers of kernels. The same seed and program give
	// the same numbers, also when Seed is 0, with any number of threads.
	Seed uint64

	// Batch is the number of tasks (loops, and serial code between them) whose launches are collected before they run
	// together; up to a quarter more, where the program waits behind these. With 0 and 1 a launch has finished when its call returns. With more, a call returns at once, and whatever looks at
	// results waits: a kernel with results, reading elements, [Runtime.Sync]. So do launches whose
	// context can end, that print, or that take a slice or array; launches under a tape that notes more of them than their arguments; and launches
	// of a field of which the program has the memory ([Field.Slice]). Results are the same for all values of Batch. A failure is returned by a later
	// call that can: that of a kernel, Sync or [Runtime.Close]. With Debug and Cover launches are not collected. [TI_BATCH]
	Batch int

	// Block is the shape of GPU thread blocks for loops that ask for none, in kernels
	// without [Kernel.SetBlock].
	Block Block

	// MemoryLimit is the number of bytes that all trees of the runtime, together with
	// the records of launches, may have in use; 0 means what the machine has. Beyond it,
	// the call that places or uses a field fails with [ErrMemory].
	//
	// Copies of trees that the threads of a loop add to are counted, too. Where there is no memory for all of them,
	// fewer threads share the loop; with Deterministic, the launch fails with ErrMemory. So are the sums of 64 bits
	// that loops make of quantised numbers. Where there is no memory for them, the launch updates the numbers one by
	// one, by the same kernel compiled once more; with Deterministic, it fails.
	//
	// Records are texts to be printed and, with Debug, accesses. They have up to half of
	// the memory that trees leave, and at least 16 MiB. If a loop prints more than that,
	// its first lines are written, in the order of iterations, and then a line that
	// says how many prints were dropped; the launch does not fail.
	// [TI_MEMORY_LIMIT, also as 512M or 2G]
	MemoryLimit int64

	// Cache is where compiled kernels are kept between runs.
	Cache Cache

	// Code is kernels that were compiled ahead of time: the contents of files that ti build
	// writes, for the processors of one level each, such as x86-64-v3, or for WebAssembly. A kernel that is not among them is compiled, by
	// libLLVM, which is not opened before. Where there is none, or the program was built without
	// the compiler (go build -tags ti_ahead), its launch fails with [ErrArch]. Modules run where [Wasm] does, and where no other file fits.
	// [TI_CODE, the names of such files as PATH has those of folders]
	Code []string

	// Cover, if not empty, names a file for a profile of how often each line of the
	// kernels was executed; [Runtime.Close] writes it, in the format of go tool
	// cover, which shows it: go tool cover -html=FILE. A profile that is there
	// already is added to. Libraries are not counted. Sources need to be in files that can be found when the
	// runtime is closed: by their name in [Text] or [Files], or, without one, as a
	// raw string or .ti file beside the Go code that loads them. Kernels run slower
	// while they count. [TI_COVER]
	Cover string

	// Stdout receives what kernels print, in whole lines and in the order of
	// iterations, when a loop or the serial code between two has ended; nil means
	// os.Stdout. It is written to while a launch is under way and must not call the
	// runtime.
	Stdout io.Writer

	// Progress, if not nil, is called about ten times a second, from one
	// goroutine, while a compilation or a launch has taken longer than a fifth of
	// a second. It must not call the runtime.
	Progress func(Progress)
}

// Arch names a kind of device together with the back end that generates code for
// it. It implements encoding.TextMarshaler and TextUnmarshaler, so that
// flag.TextVar, JSON and the like accept its name.
type Arch uint8

const (
	// CPU is the fastest back end for this machine's processor: LLVM or, where no libLLVM is found, Wasm, which a line on standard error says.
	CPU Arch = iota

	// LLVM is this machine's CPU through libLLVM.
	LLVM

	// Wasm is this machine's CPU through WebAssembly, on a runtime written in Go: it needs nothing that the program does not contain, and is several times slower than
	// LLVM. Fields have 4 GiB of memory in all. Programs that were built with the tag ti_nowasm, or with ti_ahead and without ti_wasm, do not have it.
	Wasm

	// Vulkan is a GPU of any maker through its Vulkan driver, version 1.2 or later. A driver in software is taken only where
	// [Config.Device] or TI_DEVICE names it. Programs that were built with the tag ti_ahead do not have it.
	Vulkan

	// Oracle interprets kernels one operation at a time: very slow, written to be
	// obviously right, for tests that compare results.
	Oracle
)

// String returns the name in lower case: "cpu", "llvm", "wasm", "vulkan", "oracle".
func (a Arch) String() string { return config.Arch(a).String() }

// MarshalText returns the name of a.
func (a Arch) MarshalText() ([]byte, error) { return config.Arch(a).MarshalText() }

// UnmarshalText sets a from its name in either case; an unknown name gives an
// error that lists the known ones.
func (a *Arch) UnmarshalText(text []byte) error { return (*config.Arch)(a).UnmarshalText(text) }

// Cache says where compiled kernels are kept between runs, and what is deleted when they take
// too much room. An entry is found by everything that determines the code (version of this
// package, source, types, layout, options, libLLVM, processor), and nothing else. A cache never
// makes a launch fail: what cannot be read or written is compiled anew, and one line on
// standard error says why.
//
// Whoever can write an entry runs code in the programs that read it. So the folder and its
// entries have to belong to the user, and nobody else may be able to write to them.
type Cache struct {
	// Dir is the folder; "" means "ti" in [os.UserCacheDir], and no cache where there is
	// none. It is made when needed, and may be shared by processes running at once.
	// [TI_CACHE_DIR]
	Dir string

	// Policy says what is deleted. [TI_CACHE=lru, fifo, version, never or off]
	Policy CachePolicy

	// MaxBytes is the size above which the policy deletes; 0 means 100 MiB.
	// [TI_CACHE_MAX, also as 512M or 2G]
	MaxBytes int64

	// Cleaning is the part of MaxBytes that a cleaning frees; 0 means 0.25.
	// [TI_CACHE_CLEANING]
	Cleaning float64
}

// CachePolicy says which entries leave the cache.
type CachePolicy uint8

const (
	CacheLRU     CachePolicy = iota // above MaxBytes, the least recently used
	CacheFIFO                       // above MaxBytes, the oldest
	CacheVersion                    // those of other versions of this package, whatever the size
	CacheNever                      // none
	CacheOff                        // nothing is read or written
)

// String returns the name as TI_CACHE has it.
func (p CachePolicy) String() string { return config.CachePolicy(p).String() }

// Progress says how far a long compilation or launch has come.
type Progress struct {
	Kernel  string
	Compile bool // compiling; else running
	Task    int  // the task under way, from 0, of Tasks
	Tasks   int
	Done    int64 // iterations of the task finished, of Total; 0 of 0 where unknown
	Total   int64
	Elapsed time.Duration
}

// session is c as the packages below have it.
func (c *Config) session() config.Config {
	to := config.Config{
		Arch: config.Arch(c.Arch), Device: c.Device, Threads: c.Threads, Int: c.Int, Float: c.Float,
		Unchecked: c.Unchecked, Debug: c.Debug, CheckNaN: c.CheckNaN, StrictMath: c.StrictMath, Deterministic: c.Deterministic,
		Seed: c.Seed, Batch: c.Batch, Block: c.Block.below(), MemoryLimit: c.MemoryLimit, Cover: c.Cover, Stdout: c.Stdout,
		Code:  c.Code,
		Cache: config.Cache{Dir: c.Cache.Dir, Policy: config.CachePolicy(c.Cache.Policy), MaxBytes: c.Cache.MaxBytes, Cleaning: c.Cache.Cleaning},
	}
	if report := c.Progress; report != nil {
		to.Progress = func(p config.Progress) { report(Progress(p)) }
	}
	return to
}
