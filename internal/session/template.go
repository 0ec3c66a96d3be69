package session

import (
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A template is a kernel with compile-time parameters: an instance is made for each
// distinct combination of the fields, nodes and constants that it is launched with.
type template struct {
	k      *kernel
	params []outline.ParamDecl // all of them
	static []bool              // which are compile-time parameters
	own    *hostabi.Signature  // of the host's kernel function: its run-time parameters; nil without one
}

// isStatic reports whether a parameter of type t is bound at compile time.
func isStatic(t typed.Type) bool {
	switch t.(type) {
	case typed.FuncType, typed.TemplateType:
		return true
	}
	return typed.HoldsFields(t)
}

func newTemplate(k *kernel, d *outline.KernelDecl) *template {
	t := &template{k: k, params: d.Params}
	for _, p := range d.Params {
		t.static = append(t.static, isStatic(p.Type))
	}
	return t
}

// A staticArg is what a compile-time parameter, or a part of a bundle, is bound to.
type staticArg struct {
	param int          // its number in the declaration
	core  *store.Field // a field, or the cells of a node
	typ   reflect.Type // of a constant or of memory,
	bits  string       // and the constant's value as it lies in memory, or the memory's axes
	val   reflect.Value

	// The kernel language's type of a slice or array of the caller, nil for anything
	// else: the parameter is one of run time in this instance.
	memory typed.Type
}

// same reports whether two arguments make the same instance: fields are the same
// if their memory is and their types are.
func (a *staticArg) same(b *staticArg) bool {
	if a.core == nil || b.core == nil {
		return a.core == b.core && a.typ == b.typ && a.bits == b.bits
	}
	return sameField(a.core, b.core)
}

func sameField(a, b *store.Field) bool {
	return a == b || a.Layout() == b.Layout() && a.Lo() == b.Lo() && a.Hi() == b.Hi() && a.Elem() == b.Elem()
}

// boundTo reports whether the instance was made for these arguments.
func (inst *instance) boundTo(args []staticArg) bool {
	for i := range args {
		if !inst.static[i].same(&args[i]) {
			return false
		}
	}
	return len(args) == len(inst.static)
}

// appendArg appends the compile-time arguments that v stands for, parameter i of the
// declaration: several for a bundle.
func (t *template) appendArg(to []staticArg, i int, v reflect.Value) ([]staticArg, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	k, p := t.k, t.params[i]
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
	a.param = i
	return append(to, a), err
}

// arg makes a compile-time argument of v, which the parameter takes.
func (t *template) arg(i int, v reflect.Value) (staticArg, error) {
	k := t.k
	if f, ok := bind.AsField(v); ok {
		return t.fieldArg(i, f)
	}
	if bind.IsNode(v.Type()) {
		n := bind.AsNode(v)
		if n.Store() == nil {
			return staticArg{}, diag.Errorf(diag.ErrArgs, "argument %d of %s is a node of no tree; give it what Tree.Dense returned", i+1, k)
		}
		if n.Store() != k.p.maker.store {
			return staticArg{}, diag.Errorf(diag.ErrPlace, "argument %d of %s is a node of another runtime", i+1, k)
		}
		c, err := n.Core()
		return staticArg{core: c}, err
	}
	if elem, ok := memoryElem(v.Type()); ok {
		return t.memoryArg(i, elem, v)
	}
	return constArg(v), nil
}

// constArg is the argument for a constant.
func constArg(v reflect.Value) staticArg {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return staticArg{typ: v.Type(), bits: string(bind.MemoryOf(at.Elem())), val: at.Elem()}
}

func (t *template) fieldArg(i int, c *store.Field) (staticArg, error) {
	if n := c.Node(); n != nil && n.Store() != t.k.p.maker.store {
		return staticArg{}, diag.Errorf(diag.ErrPlace, "argument %d of %s, %s, was placed in another runtime", i+1, t.k, c.Name())
	}
	if !c.InUse() { // and else a closed tree is noticed under the launch lock
		if err := c.Ready(); err != nil {
			return staticArg{}, err
		}
	}
	return staticArg{core: c}, nil
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

// find returns the instance for the given arguments and the constants as they are
// now.
func (t *template) find(args []staticArg) (*instance, error) {
	k := t.k
	if inst := k.latest.Load(); inst != nil && inst.boundTo(args) && inst.current() {
		return inst, nil
	}
	if err := alive(args); err != nil {
		return nil, err
	}
	p := k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(k); err != nil {
		return nil, err
	}
	for _, inst := range k.instances {
		if inst.boundTo(args) && inst.current() {
			k.latest.Store(inst)
			return inst, nil
		}
	}
	inst, err := t.make(args)
	if err != nil {
		return nil, err
	}
	k.instances = append(k.instances, inst)
	k.latest.Store(inst)
	return inst, nil
}

// alive reports an argument whose tree has been closed: no instance is made for it.
func alive(args []staticArg) error {
	for i := range args {
		c := args[i].core
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
func (t *template) make(args []staticArg) (*instance, error) {
	k, p := t.k, t.k.p
	whole, err := p.current()
	if err != nil {
		return nil, err
	}
	checked, errs := p.source.Instantiate(whole, k.name, p.templateArgs(args, false))
	switch {
	case len(errs) > 0 && !front.Linked:
		return nil, p.maker.Shipped.Missing(p.source, k.name, describeArgs(args), errs)
	case len(errs) > 0:
		return nil, errs
	}
	p.maker.printStatic(checked.Prints, nil)
	if checked, err = p.instrumented(checked); err != nil {
		return nil, err
	}
	f := checked.Kernel(k.name)
	inst := &instance{k: k, role: plain{}, checked: checked, consts: p.bound.Snapshots(f.Consts), static: slices.Clone(args), scope: p.bound.Scope.Clone()}
	inst.refs = p.bound.Refs(f)
	for i, a := range args {
		if field := checked.Args[i]; field != nil && a.core != nil {
			inst.scope.Add(field.Name, a.core)
			for _, r := range []store.Role{store.Grad, store.Dual} {
				if g := a.core.Placed(r); g != nil && inst.scope.Named(field.Name+r.Suffix()) == nil {
					inst.scope.Add(field.Name+r.Suffix(), g)
				}
			}
		}
	}
	inst.choose(args, func() *front.Checking {
		s := p.symbolic()
		if s == nil {
			return nil
		}
		if s, errs := p.source.Instantiate(s, k.name, p.templateArgs(args, true)); len(errs) == 0 {
			return s
		}
		return nil
	})
	inst.boxed = hostabi.NewBoxed(f, t.own, p.maker.rules())
	for i, static := range t.static {
		if !static || slices.ContainsFunc(args, func(a staticArg) bool { return a.param == i && a.memory != nil }) {
			inst.boxed.Number = append(inst.boxed.Number, i)
		}
	}
	inst.findTrees(f)
	inst.follow(f)
	return inst, inst.overlaps(f)
}

// templateArgs describes arguments to the checker. A field that is bound to a var
// is that var, and arguments that are one field are one. Symbolic asks for extents
// that are read at launch.
func (p *program) templateArgs(args []staticArg, symbolic bool) []outline.TemplateArg {
	out := make([]outline.TemplateArg, len(args))
	for i, a := range args {
		if a.memory != nil {
			out[i].Memory = a.memory
			continue
		}
		if a.core == nil {
			h := bind.ConstOf(a.val)
			out[i].Const = &h
			continue
		}
		if n := slices.IndexFunc(p.bound.Fields, func(b bind.Field) bool { return sameField(b.Core, a.core) }); n >= 0 {
			out[i].Var = p.bound.Fields[n].Path
			continue
		}
		if n := slices.IndexFunc(args[:i], func(b staticArg) bool { return b.same(&a) }); n >= 0 {
			out[i].Field = out[n].Field
			continue
		}
		h := bind.HostFieldWith(a.core) // alive has made the companions ready
		h.Symbolic = symbolic && a.core.Elem() != nil && openPlace(job.Place{Field: a.core.Layout(), First: a.core.Lo()}, a.core.Comps())
		out[i].Field = &h
	}
	return out
}

// overlaps reports fields of the kernel that share memory: code relies on fields
// being apart.
func (inst *instance) overlaps(f *outline.Kernel) error {
	for i, a := range f.Fields {
		for _, b := range f.Fields[:i] {
			x, y := inst.scope.Named(a.Name), inst.scope.Named(b.Name)
			if x != nil && y != nil && x.Overlaps(y) {
				return diag.Errorf(diag.ErrArgs, "%s and %s of %s share memory: one of them is a member of the other, or both are the same seen differently; pass fields that are apart", b.Name, a.Name, inst.k)
			}
		}
	}
	return nil
}
