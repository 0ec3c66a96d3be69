package ahead

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// A Level is what code is made for: all processors that have certain instructions, on systems
// that call functions in the same way; or what runs WebAssembly.
type Level struct {
	Processor string // "x86-64-v2", "x86-64-v3", "x86-64-v4" as the System V ABI has them, "arm64"; or "wasm"
	Windows   bool
}

// Wasm is the level of modules, which run on any processor and system, and in pages.
var Wasm = Level{Processor: "wasm"}

// processors are those of levels, the lowest of an architecture first.
var processors = []struct {
	name, arch string
	x64        int // the level, as cpuid counts
}{{"x86-64-v2", "amd64", 2}, {"x86-64-v3", "amd64", 3}, {"x86-64-v4", "amd64", 4}, {"arm64", "arm64", 0}}

// Usual are the levels of a program for Linux and macOS on any processor of the last fifteen years.
func Usual() (all []Level) {
	for _, p := range processors {
		all = append(all, Level{Processor: p.name})
	}
	return all
}

// windows is what names of levels for that system begin with.
const windows = "windows-"

// String is the name of a level, such as "x86-64-v3" or "windows-x86-64-v3".
func (l Level) String() string {
	if l.Windows {
		return windows + l.Processor
	}
	return l.Processor
}

// ParseLevel returns the level of a name.
func ParseLevel(name string) (Level, error) {
	l := Level{Processor: name}
	if l == Wasm {
		return l, nil
	}
	l.Processor, l.Windows = strings.CutPrefix(name, windows)
	if l.index() < 0 {
		var names []string
		for _, l := range Usual() {
			names = append(names, l.String())
		}
		return l, fmt.Errorf("there is no level %q; the levels are %s, these behind %q, and %v", name, strings.Join(names, ", "), windows, Wasm)
	}
	return l, nil
}

// ParseLevels returns the levels of a list with commas, each once: the usual ones for an empty
// list.
func ParseLevels(list string) (all []Level, err error) {
	if list == "" {
		return Usual(), nil
	}
	for name := range strings.SplitSeq(list, ",") {
		l, err := ParseLevel(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all, nil
}

func (l Level) index() int {
	for i, p := range processors {
		if p.name == l.Processor {
			return i
		}
	}
	return -1
}

// Arch is the architecture as GOARCH has it; "" where code runs on all of them.
func (l Level) Arch() string {
	if l == Wasm {
		return ""
	}
	return processors[l.index()].arch
}

// Here returns the levels whose code this machine's processors run, the highest first; none if they are below
// all of them.
func Here() []Level { return runs(runtime.GOOS, runtime.GOARCH, cpuid.CPU.X64Level()) }

func runs(goos, goarch string, x64 int) (all []Level) {
	for _, p := range processors {
		if p.arch == goarch && p.x64 <= x64 {
			all = append(all, Level{p.name, goos == "windows"})
		}
	}
	slices.Reverse(all)
	return all
}

// Machine returns the level of this machine, if a level describes it.
func Machine() string {
	if here := Here(); len(here) > 0 {
		return here[0].String()
	}
	if n := cpuid.CPU.X64Level(); n > 0 {
		return fmt.Sprintf("x86-64-v%d", n)
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}
