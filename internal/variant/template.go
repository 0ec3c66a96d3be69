package variant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A Template is a kernel with compile-time parameters: a variant is made for each
// distinct combination of the fields, nodes and constants that it is launched with.
type Template struct {
	Kernel *Kernel
	Params []outline.ParamDecl // all of them
	Static []bool              // which are compile-time parameters
	Own    *hostabi.Signature  // of the host's kernel function: its run-time parameters; nil without one
}

// isStatic reports whether a parameter of type t is bound at compile time.
func isStatic(t typed.Type) bool {
	switch t.(type) {
	case typed.FuncType, typed.TemplateType:
		return true
	}
	return typed.HoldsFields(t)
}

func newTemplate(k *Kernel, d *outline.KernelDecl) *Template {
	t := &Template{Kernel: k, Params: d.Params}
	for _, p := range d.Params {
		t.Static = append(t.Static, isStatic(p.Type))
	}
	return t
}

// BoundTo reports whether the variant was made for these arguments.
func (v *Variant) BoundTo(args []Arg) bool {
	for i := range args {
		if !v.Static[i].Same(&args[i]) {
			return false
		}
	}
	return len(args) == len(v.Static)
}

// AppendArg appends the compile-time arguments that v stands for, parameter i of the
// declaration: several for a bundle.
func (t *Template) AppendArg(to []Arg, i int, v reflect.Value) ([]Arg, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	k, p := t.Kernel, t.Params[i]
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, diag.Errorf(diag.ErrArgs, "argument %d of %s is nil; give it %s", i+1, k, wanted(p.Type))
	}
	if !takes(p.Type, v.Type()) {
		return nil, diag.Errorf(diag.ErrArgs, "argument %d is a %v where %s takes %s", i+1, v.Type(), k, wanted(p.Type))
	}
	if typed.IsBundle(p.Type) {
		return t.appendBundle(to, i, v)
	}
	a, err := t.arg(i, v)
	a.Param = i
	return append(to, a), err
}

// arg makes a compile-time argument of v, which the parameter takes.
func (t *Template) arg(i int, v reflect.Value) (Arg, error) {
	k := t.Kernel
	if f, ok := bind.AsField(v); ok {
		return t.fieldArg(i, f)
	}
	if bind.IsNode(v.Type()) {
		n := bind.AsNode(v)
		if n.Store() == nil {
			return Arg{}, diag.Errorf(diag.ErrArgs, "argument %d of %s is a node of no tree; give it what Tree.Dense returned", i+1, k)
		}
		if n.Store() != k.Program.Maker.Store {
			return Arg{}, diag.Errorf(diag.ErrPlace, "argument %d of %s is a node of another runtime", i+1, k)
		}
		c, err := n.Core()
		return Arg{Core: c}, err
	}
	if elem, ok := memoryElem(v.Type()); ok {
		return t.memoryArg(i, elem, v)
	}
	return constArg(v), nil
}

// constArg is the argument for a constant.
func constArg(v reflect.Value) Arg {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return Arg{typ: v.Type(), bits: string(bind.MemoryOf(at.Elem())), val: at.Elem()}
}

func (t *Template) fieldArg(i int, c *store.Field) (Arg, error) {
	if n := c.Node(); n != nil && n.Store() != t.Kernel.Program.Maker.Store {
		return Arg{}, diag.Errorf(diag.ErrPlace, "argument %d of %s, %s, was placed in another runtime", i+1, t.Kernel, c.Name())
	}
	if !c.InUse() { // and else a closed tree is noticed under the launch lock
		if err := c.Ready(); err != nil {
			return Arg{}, err
		}
	}
	return Arg{Core: c}, nil
}

// takes reports whether a compile-time parameter takes a value of Go type t, as far
// as the type tells.
func takes(want typed.Type, t reflect.Type) bool {
	switch want := want.(type) {
	case typed.FieldType:
		if bind.IsAnyField(t) {
			return true
		}
		if !bind.IsFieldPointer(t) {
			return false
		}
		elem, ok := bind.ElemOf(t.Elem())
		return !ok || hostabi.Fits(elem, want.Elem)
	case typed.NodeType:
		return bind.IsNode(t)
	case typed.TemplateType:
		_, memory := memoryElem(t)
		return bind.IsAnyField(t) || bind.IsNode(t) || t == reflect.TypeFor[any]() || bind.IsFieldPointer(t) || bind.IsConstant(t) || memory
	}
	return takesBundle(want, t)
}

// wanted says what a compile-time parameter takes.
func wanted(t typed.Type) string {
	switch t := t.(type) {
	case typed.FieldType:
		return "a field, " + hostabi.GoType(t)
	case typed.NodeType:
		return "a *ti.Node"
	case typed.FuncType:
		return "a function, which only a source can give it"
	case *typed.Struct:
		return "a " + t.String() + ": a pointer to a struct with its fields and constants"
	case typed.Array:
		return "a " + t.String() + ": an array of pointers to these, or a pointer to an array"
	}
	return "a field, a *ti.Node, a number, a bool, an array of numbers, or memory: a slice or a ti.Array"
}

// Find returns the variant for the given arguments and the constants as they are
// now.
func (t *Template) Find(args []Arg) (*Variant, error) {
	k := t.Kernel
	if v := k.latest.Load(); v != nil && v.BoundTo(args) && v.current() {
		return v, nil
	}
	if err := alive(args); err != nil {
		return nil, err
	}
	p := k.Program
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(k); err != nil {
		return nil, err
	}
	for _, v := range k.variants {
		if v.BoundTo(args) && v.current() {
			k.latest.Store(v)
			return v, nil
		}
	}
	v, err := t.make(args)
	if err != nil {
		return nil, err
	}
	k.variants = append(k.variants, v)
	k.latest.Store(v)
	return v, nil
}

// alive reports an argument whose tree has been closed: no variant is made for it.
func alive(args []Arg) error {
	for i := range args {
		c := args[i].Core
		if c == nil || c.Node() == nil {
			continue
		}
		if err := c.Alive(); err != nil {
			return err
		}
		for _, r := range []store.Role{store.Grad, store.Dual} {
			if _, err := c.ReadyCompanion(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// make checks the kernel for the given arguments. It needs p.mu.
func (t *Template) make(args []Arg) (*Variant, error) {
	k, p := t.Kernel, t.Kernel.Program
	whole, err := p.current()
	if err != nil {
		return nil, err
	}
	checked, errs := p.Source.Instantiate(whole, k.Name, p.templateArgs(args, false))
	switch {
	case len(errs) > 0 && !front.Linked:
		return nil, p.Maker.Shipped.Missing(p.Source, k.Name, describeArgs(args), errs)
	case len(errs) > 0:
		return nil, errs
	}
	p.Maker.printStatic(checked.Prints, nil)
	if checked, err = p.instrumented(checked); err != nil {
		return nil, err
	}
	f := checked.Kernel(k.Name)
	v := &Variant{Kernel: k, Role: plain{}, reading: reading{Checked: checked}, consts: p.Bound.Snapshots(f.Consts), Static: slices.Clone(args), Scope: p.Bound.Scope.Clone()}
	v.refs = p.Bound.Refs(f)
	for i, a := range args {
		if field := checked.Args[i]; field != nil && a.Core != nil {
			v.Scope.Add(field.Name, a.Core)
			for _, r := range []store.Role{store.Grad, store.Dual} {
				if g := a.Core.Placed(r); g != nil && v.Scope.Named(field.Name+r.Suffix()) == nil {
					v.Scope.Add(field.Name+r.Suffix(), g)
				}
			}
		}
	}
	v.choose(args, func() *front.Checking {
		s := p.symbolic()
		if s == nil {
			return nil
		}
		if s, errs := p.Source.Instantiate(s, k.Name, p.templateArgs(args, true)); len(errs) == 0 {
			return s
		}
		return nil
	})
	v.Boxed = hostabi.NewBoxed(f, t.Own, p.Maker.Rules())
	for i, static := range t.Static {
		if !static || slices.ContainsFunc(args, func(a Arg) bool { return a.Param == i && a.Memory != nil }) {
			v.Boxed.Number = append(v.Boxed.Number, i)
		}
	}
	v.findTrees(f)
	v.follow(f)
	return v, v.overlaps(f)
}

// templateArgs describes arguments to the checker. A field that is bound to a var
// is that var, and arguments that are one field are one. Symbolic asks for extents
// that are read at launch.
func (p *Program) templateArgs(args []Arg, symbolic bool) []outline.TemplateArg {
	out := make([]outline.TemplateArg, len(args))
	for i, a := range args {
		if a.Memory != nil {
			out[i].Memory = a.Memory
			continue
		}
		if a.Core == nil {
			h := bind.ConstOf(a.val)
			out[i].Const = &h
			continue
		}
		if n := slices.IndexFunc(p.Bound.Fields, func(b bind.Field) bool { return sameField(b.Core, a.Core) }); n >= 0 {
			out[i].Var = p.Bound.Fields[n].Path
			continue
		}
		if n := slices.IndexFunc(args[:i], func(b Arg) bool { return b.Same(&a) }); n >= 0 {
			out[i].Field = out[n].Field
			continue
		}
		h := bind.HostFieldWith(a.Core) // alive has made the companions ready
		h.Symbolic = symbolic && a.Core.Elem() != nil && openPlace(job.Place{Field: a.Core.Layout(), First: a.Core.Lo()}, a.Core.Comps())
		out[i].Field = &h
	}
	return out
}

// overlaps reports fields of the kernel that share memory: code relies on fields
// being apart.
func (v *Variant) overlaps(f *outline.Kernel) error {
	for i, a := range f.Fields {
		for _, b := range f.Fields[:i] {
			x, y := v.Scope.Named(a.Name), v.Scope.Named(b.Name)
			if x != nil && y != nil && x.Overlaps(y) {
				return diag.Errorf(diag.ErrArgs, "%s and %s of %s share memory: one of them is a member of the other, or both are the same seen differently; pass fields that are apart", b.Name, a.Name, v.Kernel)
			}
		}
	}
	return nil
}

// describeArgs says what a kernel with compile-time parameters is launched with.
func describeArgs(args []Arg) string {
	var parts []string
	for i, a := range args {
		switch {
		case a.Core != nil && a.Core.Elem() != nil:
			parts = append(parts, fmt.Sprintf("argument %d is a field of %v of shape %d", i+1, hostabi.TypeOf(a.Core.Elem()), a.Core.Shape()))
		case a.Core != nil:
			parts = append(parts, fmt.Sprintf("argument %d is a node of shape %d", i+1, a.Core.Shape()))
		case a.Memory != nil:
			parts = append(parts, fmt.Sprintf("argument %d is %v", i+1, a.Memory))
		default:
			parts = append(parts, fmt.Sprintf("argument %d is %v", i+1, a.val))
		}
	}
	return strings.Join(parts, ", ")
}
