package llvm

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/native"
)

// A Version is a libLLVM's; Minor and Patch are 0 if it does not report them.
type Version struct{ Major, Minor, Patch int }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// A Lib is a libLLVM that is open, or will be when it is needed first.
type Lib struct {
	path     string
	version  Version
	identity func() (string, error)
	fn       [numSymbols]uintptr
	load     func() error // of a Lib from [Resume]: opens it; nil for one that is open
	cpu      string
	attrs    string   // CPU features as LLVM writes them: "+avx2,-sse4a"
	triple   string   // what code is for where Options do not say
	chosen   string   // the name by which the user has chosen the processor; "" for the machine's own
	machine  string   // the processor that there is, where another was chosen
	backEnds []string // of the targets that the library has
	views    sync.Map // by a chosen name, the *Lib that makes code for it
}

// Path is the file it was loaded from.
func (l *Lib) Path() string { return l.path }

// Version is what the library says it is.
func (l *Lib) Version() Version { return l.version }

// HostCPU is LLVM's name for this machine's processor, such as "znver4", and
// HostFeatures its features, such as "+avx2,-sse4a"; or what the user has chosen in its place by TI_PROCESSOR.
func (l *Lib) HostCPU() string { return l.cpu }

// HostFeatures is described at [Lib.HostCPU].
func (l *Lib) HostFeatures() string { return l.attrs }

// Machine is LLVM's name for this machine's processor where the user has chosen another in its
// place, which HostCPU returns; "" where they have not.
func (l *Lib) Machine() string { return l.machine }

// opened holds the libraries of this process: libLLVM cannot be opened twice
// under two sets of handlers, nor unloaded.
var opened struct {
	sync.Mutex
	byPath   map[string]*Lib
	fallback *Lib // what Default found
}

// Default opens the library that TI_LIBLLVM names, or else the newest one on
// the machine that works. It makes code for the processor that TI_PROCESSOR names, or else for
// this machine's.
func Default() (*Lib, error) { return Chosen().Open() }

// newest opens the newest library on the machine that works.
func newest() (*Lib, error) {
	opened.Lock()
	l := opened.fallback
	opened.Unlock()
	if l != nil {
		return l, nil
	}
	l, err := firstUsable(Find())
	if err == nil {
		opened.Lock()
		opened.fallback = l
		opened.Unlock()
	}
	return l, err
}

// openNamed opens what the user asked for; nothing else will do.
func openNamed(path string) (*Lib, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found := findIn([]string{path})
		if len(found) == 0 {
			return nil, &Unusable{path, ErrMissing, "the directory that " + EnvPath + " names holds no libLLVM"}
		}
		return firstUsable(found)
	}
	return Open(path)
}

// firstUsable opens the first candidate that works and otherwise explains every
// one that does not.
func firstUsable(candidates []Candidate) (*Lib, error) {
	var refused []error
	for _, c := range candidates {
		l, err := Open(c.Path)
		if err == nil {
			return l, nil
		}
		refused = append(refused, err)
	}
	if len(candidates) == 0 {
		for _, name := range sonames(runtime.GOOS) {
			if l, err := Open(name); err == nil {
				return l, nil
			}
		}
		return nil, &Unusable{Reason: ErrMissing}
	}
	return nil, errors.Join(refused...)
}

// Open opens the libLLVM at path (or the one the system finds under a bare
// name), checks it and prepares it. A second call for the same path gives the
// same library.
func Open(path string) (*Lib, error) {
	opened.Lock()
	defer opened.Unlock()
	if l := opened.byPath[path]; l != nil {
		return l, nil
	}
	l, err := open(path)
	if err != nil {
		return nil, err
	}
	if opened.byPath == nil {
		opened.byPath = map[string]*Lib{}
	}
	opened.byPath[path] = l
	return l, nil
}

func open(path string) (*Lib, error) {
	if strings.ContainsAny(path, `/\`) {
		if err := inspect(path); err != nil {
			return nil, err
		}
	}
	lib, err := native.Open(path)
	if err != nil {
		return nil, &Unusable{path, ErrDamaged, err.Error()}
	}
	version, err := versionOf(path, lib)
	if err != nil {
		return nil, err
	}
	l := &Lib{path: path, version: version, triple: HostTriple(), identity: sync.OnceValues(func() (string, error) { return Identity(path) })}
	for s, name := range symbolNames {
		if l.fn[s] = lib.Symbol(name); l.fn[s] == 0 {
			return nil, &Unusable{path, ErrDamaged, "it has no function " + name}
		}
	}
	l.backEnds = initTargets(lib)
	version.report(lib)
	l.call(symInstallFatalErrorHandler, callbacks().fatal)
	l.cpu = l.text(l.call(symGetHostCPUName))
	l.attrs = hostFeatures(l.text(l.call(symGetHostCPUFeatures)), runtime.GOOS, runtime.GOARCH)
	return l, nil
}

// hostFeatures adds to the processor's features what the system and Go ask of code: register x18
// belongs to macOS and Windows, which the triple does not show, and x28 is where Go has the
// goroutine. A program without cgo looks there when a signal comes, in tasks too.
//
// It drops AVX512-FP16. Code makes no use of it, since codegen/llvm translates half-precision numbers itself, and LLVM 15 has no instruction
// for some vectors of 16-bit integers where it is there (llvm-project issue 59628: "Cannot select: v8i16 = X86ISD::VZEXT_MOVL").
func hostFeatures(cpu, goos, goarch string) string {
	if goarch != "arm64" {
		return strings.ReplaceAll(cpu, "+avx512fp16", "-avx512fp16")
	}
	cpu += ",+reserve-x28"
	if goos != "linux" {
		cpu += ",+reserve-x18"
	}
	return strings.TrimPrefix(cpu, ",")
}

// inspect looks at the file before the system's loader does, which would crash
// on a file that has been cut short.
func inspect(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Unusable{path, ErrMissing, "there is no such file"}
	case err != nil:
		return &Unusable{path, ErrDamaged, err.Error()}
	case !info.Mode().IsRegular():
		return &Unusable{path, ErrDamaged, "it is not a file"}
	}
	if runtime.GOOS != "linux" {
		return nil // the loaders of the other systems check sizes themselves
	}
	f, err := elf.Open(path)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &Unusable{path, ErrDamaged, "the file has been cut short"}
	case err != nil:
		return &Unusable{path, ErrDamaged, err.Error()}
	}
	defer f.Close()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if f.Type != elf.ET_DYN || f.Machine != machine {
		return &Unusable{path, ErrDamaged, fmt.Sprintf("it is an %v for %v, not a shared library for %v", f.Type, f.Machine, machine)}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && (p.Off+p.Filesz < p.Off || p.Off+p.Filesz > uint64(info.Size())) {
			return &Unusable{path, ErrDamaged, "the file has been cut short"}
		}
	}
	return nil
}

// versionOf asks the library for its version. LLVMGetVersion came with 16, and
// LLVMGetAggregateElement with 15, which distinguishes 15 from earlier versions.
func versionOf(path string, lib native.Library) (Version, error) {
	var major, minor, patch uint32
	switch get := lib.Symbol("LLVMGetVersion"); {
	case get != 0:
		native.Call(get, uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)), uintptr(unsafe.Pointer(&patch)))
	case lib.Symbol("LLVMGetAggregateElement") != 0:
		major = 15
	case lib.Symbol("LLVMContextCreate") != 0:
		return Version{}, &Unusable{path, ErrTooOld, "it is older than version 15"}
	default:
		return Version{}, &Unusable{path, ErrDamaged, "it has no function LLVMContextCreate"}
	}
	v := Version{int(major), int(minor), int(patch)}
	if v.Major < MinMajor {
		return v, &Unusable{path, ErrTooOld, "it is version " + v.String()}
	}
	return v, nil
}

// initTargets prepares the back ends, and returns which ones there are. A library built for one architecture
// alone lacks the others, which matters only when one is asked for.
func initTargets(lib native.Library) (there []string) {
	for _, target := range targets {
		for _, part := range targetParts {
			if f := lib.Symbol("LLVMInitialize" + target + part); f != 0 {
				native.Call(f)
			}
		}
		if lib.Symbol("LLVMInitialize"+target+"Target") != 0 {
			there = append(there, target)
		}
	}
	return there
}
