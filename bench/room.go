package main

import (
	"cmp"
	"context"
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A roomPart is a part of programs whose size is reported, and how many kilobytes of functions, with the tables that Go's runtime has of them,
// it may take: in a program with the compiler, and in one whose kernels were compiled ahead of time. The limit of a program is the sum.
type roomPart struct {
	name     string
	packages []string // the beginnings of their paths; the first part that fits has a package
	limit    [2]float64
}

const internals = "github.com/gotaichi/ti/internal/"

// roomParts are all parts. Limits are what was there when they were written, and a tenth more.
var roomParts = []roomPart{
	{"parser and checker", inside("syntax", "typed", "check", "prelude", "vet", "diag", "cover"), [2]float64{1760, 70}},
	{"lowering, IR, interpreter", inside("lower", "ir", "oracle", "mathlib", "half", "scalar"), [2]float64{1470, 140}},
	{"derivatives", inside("autodiff", "mincut"), [2]float64{880, 1}},
	{"passes", inside("pass", "outline", "tally", "quant", "sparsert", "explain"), [2]float64{3250, 120}},
	{"WebAssembly, and what runs it", append(inside("codegen/wasm", "wasm", "codegen/remainder"), "github.com/tetratelabs/"), [2]float64{2900, 1}},
	{"code for Vulkan, and its driver's caller", inside("codegen/spirv", "codegen/wgsl", "vulkan"), [2]float64{900, 1}},
	{"code by libLLVM", inside("codegen", "llvm", "native", "driver"), [2]float64{840, 1}},
	{"sessions, fields, launches", append(inside(""), "github.com/gotaichi/ti"), [2]float64{2950, 3000}},
	{"other modules", []string{"github.com/", "golang.org/"}, [2]float64{150, 90}},
	{"Go's packages that the compiler needs", []string{"go/", "regexp", "encoding/json", "math/big", "debug/"}, [2]float64{1320, 370}},
	{"Go's runtime and other packages", []string{""}, [2]float64{3950, 2950}},
}

// Types, constants, strings and variables, which belong to no function, and what links the file.
var roomData = roomPart{name: "types, constants, variables", limit: [2]float64{3360, 1510}}

func inside(names ...string) (paths []string) {
	for _, n := range names {
		paths = append(paths, internals+n)
	}
	return paths
}

// holds reports whether a package belongs to a part.
func (r *roomPart) holds(path string) bool {
	for _, p := range r.packages {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// room prints what takes the room of a program of the documents, with the compiler and without, and returns what is beyond its limit.
func room(ctx context.Context, p *programs, w io.Writer) error {
	var taken [2][]float64
	for k, how := range []way{compiledAnew, aheadOfTime} {
		cmd, err := p.program(ctx, project, how, native)
		if err != nil {
			return err
		}
		if taken[k], err = roomOf(cmd.Path); err != nil {
			return fmt.Errorf("%s: %w", cmd.Path, err)
		}
	}
	fmt.Fprintf(w, "\n%-48s %10s %10s %10s %10s\n", "docs/your-project, linked with -s -w: kB", "compiler", "limit", "ti_ahead", "limit")
	var errs []error
	var sum, most [2]float64
	line := func(name string, taken, limit [2]float64) {
		fmt.Fprintf(w, "%-48s %10.0f %10.0f %10.0f %10.0f\n", name, taken[0], limit[0], taken[1], limit[1])
		for k, program := range []string{"with the compiler", "compiled ahead of time"} {
			if taken[k] > limit[k] {
				errs = append(errs, fmt.Errorf("the program %s: %s takes %.0f kB, more than %.0f", program, name, taken[k], limit[k]))
			}
		}
	}
	for i, r := range append(roomParts[:len(roomParts):len(roomParts)], roomData) {
		t := [2]float64{taken[0][i], taken[1][i]}
		line(r.name, t, r.limit)
		for k := range sum {
			sum[k], most[k] = sum[k]+t[k], most[k]+r.limit[k]
		}
	}
	line("the file", sum, most)
	return errors.Join(errs...)
}

// roomOf returns the kilobytes of each part of a program, and of the rest. The table of lines is divided among functions by
// their size.
func roomOf(program string) ([]float64, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, lines := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || lines == nil {
		return nil, errors.New("it has no table of functions")
	}
	table, err := lines.Data()
	if err != nil {
		return nil, err
	}
	symbols, err := gosym.NewTable(nil, gosym.NewLineTable(table, text.Addr))
	if err != nil {
		return nil, err
	}
	taken := make([]float64, len(roomParts)+1)
	of, functions := make([]float64, len(roomParts)), 0.0
	for _, fn := range symbols.Funcs {
		n, path := float64(fn.End-fn.Entry), packageOf(fn.Name)
		for i, r := range roomParts {
			if r.holds(path) {
				of[i] += n
				break
			}
		}
		functions += n
	}
	for i, n := range of {
		taken[i] = n / functions * float64(text.Size+lines.Size) / 1e3
	}
	all := 0.0
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS {
			all += float64(s.Size)
		}
	}
	taken[len(roomParts)] = (all - float64(text.Size+lines.Size)) / 1e3
	return taken, nil
}

// packageOf is the path of the package of a function; what an instance of a generic function was made for does not count.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[")
	for _, kind := range []string{"type:.eq.", "type:.hash.", "go:"} {
		function = strings.TrimPrefix(function, kind)
	}
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	return cmp.Or(function[:slash+max(dot, 0)], function)
}
