package llvm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/native"
)

// EnvProcessor is the environment variable that names the processor to generate code for,
// instead of this machine's: one that this machine can stand in for.
const EnvProcessor = "TI_PROCESSOR"

// ErrProcessor is the reason of a [ProcessorError].
var ErrProcessor = errors.New("no code for this processor")

// A ProcessorError says why code for the processor that [EnvProcessor] names is not made.
type ProcessorError struct{ Name, Cause, Remedy string }

func (e *ProcessorError) Error() string {
	return fmt.Sprintf("environment variable %s=%q: %s; %s", EnvProcessor, e.Name, e.Cause, e.Remedy)
}

func (e *ProcessorError) Unwrap() error { return ErrProcessor }

// The features of the levels of x86-64 beyond the first, as the System V ABI lists them, and those that
// compilers use of processors with more.
const (
	featuresV2   = "+cx16,+sahf,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2"
	featuresAVX  = featuresV2 + ",+avx,+xsave"
	featuresV3   = featuresAVX + ",+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
	featuresV4   = featuresV3 + ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"
	featuresZen  = featuresV3 + ",+adx,+sse4a"
	featuresIce  = featuresV4 + ",+adx,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vnni,+avx512bitalg,+avx512vpopcntdq,+gfni,+vaes,+vpclmulqdq"
	featuresZen4 = featuresIce + ",+sse4a,+avx512bf16"
)

// chosen lists the processors that [EnvProcessor] may name. The features are all that the name lets LLVM
// use in our code: what follows of them (the width of vectors, fused products) is read from them, and the machine
// must have them. Since is the first version of LLVM that knows the name.
var chosen = []struct {
	name, arch, features string
	since                int
}{
	{"x86-64", "amd64", "", 0},
	{"x86-64-v2", "amd64", featuresV2, 0},
	{"x86-64-v3", "amd64", featuresV3, 0},
	{"x86-64-v4", "amd64", featuresV4, 0},
	{"nehalem", "amd64", featuresV2, 0},
	{"westmere", "amd64", featuresV2, 0},
	{"sandybridge", "amd64", featuresAVX, 0},
	{"ivybridge", "amd64", featuresAVX + ",+f16c", 0},
	{"haswell", "amd64", featuresV3, 0},
	{"broadwell", "amd64", featuresV3 + ",+adx", 0},
	{"skylake", "amd64", featuresV3 + ",+adx", 0},
	{"skylake-avx512", "amd64", featuresV4 + ",+adx", 0},
	{"cascadelake", "amd64", featuresV4 + ",+adx,+avx512vnni", 0},
	{"icelake-server", "amd64", featuresIce, 0},
	{"znver1", "amd64", featuresZen, 0},
	{"znver2", "amd64", featuresZen, 0},
	{"znver3", "amd64", featuresZen + ",+vaes,+vpclmulqdq", 0},
	{"znver4", "amd64", featuresZen4, 16},
	{"generic", "arm64", "", 0},
	{"cortex-a53", "arm64", "+crc", 0},
	{"cortex-a72", "arm64", "+crc", 0},
}

// Processors lists the names that [EnvProcessor] may have on an architecture.
func Processors(goarch string) (names []string) {
	for _, p := range chosen {
		if p.arch == goarch {
			names = append(names, p.name)
		}
	}
	return names
}

// asChosen returns l, an open library, as one that makes code for the processor of a name, l itself
// if the name is "".
func (l *Lib) asChosen(name string) (*Lib, error) {
	if name == "" {
		return l, nil
	}
	if as, ok := l.views.Load(name); ok {
		return as.(*Lib), nil
	}
	goarch := runtime.GOARCH
	for _, p := range chosen {
		switch {
		case p.name != name || p.arch != goarch:
			continue
		case l.version.Major < p.since:
			return nil, &ProcessorError{name, fmt.Sprintf("libLLVM %v does not know it (%s)", l.version, l.path),
				fmt.Sprintf("use version %d or newer, which %s can name", p.since, EnvPath)}
		}
		if lacks := lacking(l.attrs, p.features); len(lacks) > 0 {
			return nil, &ProcessorError{name, fmt.Sprintf("this machine (%s) cannot run such code, it lacks %s", l.cpu, strings.Join(lacks, ", ")),
				"name one whose instructions it has: " + strings.Join(l.below(goarch), ", ")}
		}
		as := l.For(Processor{Arch: goarch, CPU: p.name, Features: hostFeatures(p.features, runtime.GOOS, goarch)})
		as.chosen, as.machine = name, l.cpu
		first, _ := l.views.LoadOrStore(name, as)
		return first.(*Lib), nil
	}
	return nil, &ProcessorError{name, "there is no such processor for " + goarch, "the known ones are " + strings.Join(Processors(goarch), ", ")}
}

// below lists the processors whose features this machine has.
func (l *Lib) below(goarch string) (names []string) {
	for _, p := range chosen {
		if p.arch == goarch && l.version.Major >= p.since && len(lacking(l.attrs, p.features)) == 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// lacking lists the features of want that have does not list; both are as LLVM writes them.
func lacking(have, want string) (names []string) {
	all := strings.Split(have, ",")
	for f := range strings.SplitSeq(want, ",") {
		if f != "" && !slices.Contains(all, f) {
			names = append(names, strings.TrimPrefix(f, "+"))
		}
	}
	return names
}

// A Choice is what the user has said of the library and the processor, as [EnvPath] and [EnvProcessor] have it.
type Choice struct{ Path, Processor string }

// Chosen reads the environment.
func Chosen() Choice { return Choice{os.Getenv(EnvPath), os.Getenv(EnvProcessor)} }

// Open opens the library that c names, or else the newest one on the machine that works. It makes code for the
// processor that c names, or else for this machine's.
func (c Choice) Open() (*Lib, error) {
	if err := native.Missing(); err != nil { // no library would help
		return nil, err
	}
	open := newest
	if c.Path != "" {
		open = func() (*Lib, error) { return openNamed(c.Path) }
	}
	l, err := open()
	if err != nil {
		return nil, err
	}
	return l.asChosen(c.Processor)
}
