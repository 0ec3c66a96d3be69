package outline

import (
	"go/token"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/typed"
)

// A Package is the declarations of a source, not yet bound to a host.
type Package struct {
	Name    string
	Vars    []*VarDecl    // what the host binds, in the order of the source
	Kernels []*KernelDecl // in the order of the source
}

// A VarDecl is a var of the source: something that the host binds.
type VarDecl struct {
	Name string
	Pos  token.Position
	// Type is a FieldType, NodeType or the type of a constant; Unknown (or with an
	// Unknown element) where it is wrong or depends on a host constant.
	Type typed.Type
}

// A KernelDecl is an exported function. Types that depend on host constants are
// Unknown; those of a Program's kernels are complete.
type KernelDecl struct {
	Name    string
	Pos     token.Position
	Text    string // the declaration as the source has it, on one line
	Params  []ParamDecl
	Results []ParamDecl
}

// A ParamDecl is a parameter or result. A compile-time parameter has type
// FieldType, NodeType, FuncType or TemplateType.
type ParamDecl struct {
	Name string
	Type typed.Type
}

// Kernel returns the declaration of that name, nil if there is none.
func (p *Package) Kernel(name string) *KernelDecl {
	i := slices.IndexFunc(p.Kernels, func(k *KernelDecl) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return p.Kernels[i]
}

// A Program is a source checked against a host, or an instance of one of its kernels.
type Program struct {
	Fields  []*typed.Field // all declared fields, in the order of the source
	Kernels []*Kernel      // in the order of the source

	// Args, of an instance, has an entry for each compile-time parameter of its
	// kernel: the field that it is bound to, nil for anything else.
	Args []*typed.Field

	Prints []Print // what staticPrint wrote, in the order of checking
}

// A Print is a line that a staticPrint wrote.
type Print struct {
	Pos  token.Position
	Text string // one line, without its end
}

// A Kernel is a kernel without its body.
type Kernel struct {
	Name    string
	Pos     token.Position
	Params  []*typed.Var
	Results []*typed.Var
	Consts  []string       // host constants that it depends on, sorted
	Fields  []*typed.Field // that it uses, in the order of the source
	Fixed   []*typed.Field // of the symbolic ones, those whose extents it needs as constants
	Extrema []*typed.Field // in which it may accumulate minima and maxima

	OldValues   bool // it uses what atomics return
	Accumulates bool // minima and maxima, in fields or in variables
}

// Of returns the outline of a checked program.
func Of(p *typed.Program, prints []Print) *Program {
	o := &Program{Fields: p.Fields, Args: p.Args, Prints: prints}
	for _, f := range p.Kernels {
		k := &Kernel{Name: f.Name, Pos: f.Pos, Params: f.Params, Results: f.Results, Consts: f.Consts, Fields: f.Fields, Fixed: f.Fixed, OldValues: typed.UsesOldValues(f)}
		for _, x := range typed.Extrema(f) {
			k.Accumulates = true
			if x != nil {
				k.Extrema = append(k.Extrema, x)
			}
		}
		o.Kernels = append(o.Kernels, k)
	}
	return o
}

// Kernel returns the kernel of that name, or nil.
func (p *Program) Kernel(name string) *Kernel {
	for _, k := range p.Kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// all lists the fields of an outline, each once, those of the program first.
func (p *Program) all() []*typed.Field {
	var all []*typed.Field
	known := map[*typed.Field]bool{nil: true}
	add := func(fields []*typed.Field) {
		for _, f := range fields {
			if !known[f] {
				known[f] = true
				all = append(all, f)
			}
		}
	}
	add(p.Fields)
	add(p.Args)
	for _, k := range p.Kernels {
		add(k.Fields)
		add(k.Fixed)
		add(k.Extrema)
	}
	return all
}

// Resize gives the fields that are free the extents that they have in the host, and to their adjoints and
// tangents. shape returns nil for a field that is not free.
func (p *Program) Resize(shape func(field string) []int) {
	for _, f := range p.all() {
		root := f.Name
		for _, suffix := range []string{".dual", ".grad"} { // x.grad.dual is one too
			root = strings.TrimSuffix(root, suffix)
		}
		if s := shape(root); s != nil && len(s) == len(f.Shape) {
			f.Shape = slices.Clone(s)
		}
	}
}

// Shapeless is a copy of p in which no field has extents: outlines that differ in nothing else have equal ones.
func (p *Program) Shapeless() *Program {
	of := map[*typed.Field]*typed.Field{}
	for _, f := range p.all() {
		g := *f
		g.Shape, g.Symbolic = nil, false
		of[f] = &g
	}
	some := func(fields []*typed.Field) []*typed.Field {
		out := make([]*typed.Field, len(fields))
		for i, f := range fields {
			out[i] = of[f] // nil stays nil
		}
		return out
	}
	o := &Program{Fields: some(p.Fields), Args: some(p.Args), Prints: p.Prints}
	for _, k := range p.Kernels {
		o.Kernels = append(o.Kernels, &Kernel{Name: k.Name, Pos: k.Pos, Params: k.Params, Results: k.Results, Consts: k.Consts, Fields: some(k.Fields), Extrema: some(k.Extrema), Accumulates: k.Accumulates, OldValues: k.OldValues})
	}
	return o
}
