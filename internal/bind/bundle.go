package bind

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// bindVar binds a var of the source: a field, node or constant, or a bundle, which
// is an array or struct of these. What a bundle holds is bound by its path.
func (b *Binder) bindVar(v *outline.VarDecl, e entry) {
	b.circular = false
	b.Part(v.Name, v.Name, v.Type, e.value, e.what)
}

// Part binds the part behind path of the var called name. want is its type in
// the source, Unknown (or nil) where that is not known yet.
func (b *Binder) Part(name, path string, want typed.Type, v reflect.Value, what string) {
	if b.circular {
		return
	}
	defer func(n int) { b.via = b.via[:n] }(len(b.via))
	v = b.follow(v)
	if len(b.via) > maxVia {
		b.circular = true
		b.errorf(name, diag.HostType, "hide the pointer with the tag `ti:\"-\"`", "%s leads back to itself", what)
		return
	}
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		b.errorf(name, diag.HostType, "give it a value", "%s is nil", what)
		return
	}
	t := v.Type()
	field, isField := AsField(v)
	kind := kindOfVar(want)
	switch {
	case isField && (kind == aField || kind == anything):
		b.bindField(name, path, what, field)
	case IsNode(t) && (kind == aNode || kind == anything):
		b.bindNode(name, path, what, AsNode(v))
	case IsConstant(t) && (kind == aConst || kind == anything):
		b.bindConst(path, v)
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && !IsNode(t) && !isField && (kind == aBundle || kind == anything):
		if v.IsNil() {
			b.errorf(name, diag.HostType, "give it a value", "%s is nil", what)
			return
		}
		b.Part(name, path, want, v.Elem(), what)
	case t.Kind() == reflect.Array && (kind == aBundle || kind == anything) && bindable(t):
		b.bindArray(name, path, want, v, what)
	case t.Kind() == reflect.Struct && !isField && (kind == aBundle || kind == anything):
		b.bindStruct(name, path, want, v, what)
	default:
		b.misfit(name, path, want, t, what)
	}
}

// maxVia is how many pointers may lead to a field. A longer chain is taken for a circle.
const maxVia = 64

// follow adds a pointer of the host to b.via and returns a copy of it: if the host changes
// the pointer meanwhile, what is bound still is what b.via has. Other values are
// returned as they are.
func (b *Binder) follow(v reflect.Value) reflect.Value {
	if k := v.Kind(); !v.CanAddr() || k != reflect.Pointer && k != reflect.Interface {
		return v
	}
	word := func(v reflect.Value) *unsafe.Pointer {
		p := v.Addr().UnsafePointer()
		if v.Kind() == reflect.Interface { // its second word
			p = unsafe.Add(p, unsafe.Sizeof(p))
		}
		return (*unsafe.Pointer)(p)
	}
	now := reflect.New(v.Type()).Elem()
	now.Set(v)
	b.via = append(b.via, Ref{word(v), *word(now)})
	return now
}

// misfit reports a value of a kind that the source does not expect.
func (b *Binder) misfit(name, path string, want typed.Type, t reflect.Type, what string) {
	switch kindOfVar(want) {
	case aField:
		b.errorf(name, diag.HostType, "bind a ti.Field, or a pointer to one", "%s is a %v, and %s of the source is a field", what, t, path)
	case aNode:
		b.errorf(name, diag.HostType, "bind a *ti.Node", "%s is a %v, and %s of the source is a node", what, t, path)
	case aConst:
		b.errorf(name, diag.HostType, "bind "+Article(hostabi.GoType(want)), "%s is a %v, and %s of the source is a constant of type %s", what, t, path, want)
	case aBundle:
		b.errorf(name, diag.HostType, "bind an array or a struct, as the source has it", "%s is a %v, and %s of the source is a %s", what, t, path, want)
	default:
		b.errorf(name, diag.HostType, "bind a ti.Field, a *ti.Node, a number, a bool, or an array or struct of these",
			"%s is a %v, which no var of a source can be bound to", what, t)
	}
}

// Article puts "a" or "an" before a Go type.
func Article(t string) string {
	if strings.HasPrefix(t, "int") {
		return "an " + t
	}
	return "a " + t
}

// varKind is what a var of a source, or a part of one, is.
type varKind int

const (
	anything varKind = iota // not known before its host is
	aField
	aNode
	aConst
	aBundle
)

func kindOfVar(t typed.Type) varKind {
	switch t := t.(type) {
	case typed.FieldType:
		return aField
	case typed.NodeType:
		return aNode
	case *typed.Struct:
		return aBundle
	case typed.Array:
		switch k := kindOfVar(t.Elem); k {
		case anything, aConst:
			return k
		}
		return aBundle
	case typed.Scalar:
		if t != typed.Unknown {
			return aConst
		}
	}
	return anything
}

// bindArray binds the elements of an array.
func (b *Binder) bindArray(name, path string, want typed.Type, v reflect.Value, what string) {
	elem := typed.Type(typed.Unknown)
	if a, ok := want.(typed.Array); ok {
		elem = a.Elem
		if a.Len != v.Len() {
			b.errorf(name, diag.HostType, fmt.Sprintf("make it an array of %d", a.Len), "%s has %d elements, and %s of the source has %d", what, v.Len(), path, a.Len)
			return
		}
	}
	before := len(b.Errs)
	for i := range v.Len() {
		if len(b.Errs) > before {
			return // the other elements would only say the same again
		}
		at := "[" + strconv.Itoa(i) + "]"
		b.Part(name, path+at, elem, v.Index(i), fmt.Sprintf("element %d of %s", i, what))
	}
}

// bindStruct binds the members that the source names. Where these are not known
// yet, it binds all that can be bound.
func (b *Binder) bindStruct(name, path string, want typed.Type, v reflect.Value, what string) {
	members := membersOf(v, nil)
	s, known := want.(*typed.Struct)
	if !known {
		for _, m := range members {
			if m.bad == "" && bindable(m.value.Type()) {
				b.Part(name, path+"."+m.name, typed.Unknown, m.value, m.what)
			}
		}
		return
	}
	for _, f := range s.Fields {
		at := path + "." + f.Name
		m, ok := findEntry(members, f.Name)
		switch {
		case !ok:
			var names []string
			for _, m := range members {
				names = append(names, m.name)
			}
			help := "add it"
			if n := nearest(f.Name, names); n != "" && len(f.Name) > 2 {
				help = fmt.Sprintf("its %s may be given the tag `ti:%q`", n, f.Name)
			}
			b.errorf(name, diag.HostType, help, "%s has nothing to bind %s of the source to", what, at)
		case m.bad != "":
			b.errorf(name, diag.Unexported, remedyFor(m, f.Name), "%s cannot be bound to %s: %s", m.what, at, m.bad)
		default:
			b.Part(name, at, f.Type, m.value, m.what)
		}
	}
}

// bindable reports whether a member of a bundle can be bound: a bundle may hold
// more than its source wants, its kernel functions for one.
func bindable(t reflect.Type) bool {
	switch {
	case IsFieldType(t), IsNode(t), IsConstant(t):
		return true
	case t.Kind() == reflect.Array, t.Kind() == reflect.Pointer:
		return bindable(t.Elem())
	}
	return t.Kind() == reflect.Struct && !IsNodeStruct(t)
}

// bindNode binds a node: kernels see it as a field of its cells.
func (b *Binder) bindNode(name, path, what string, n *store.Node) {
	switch {
	case n == nil:
		b.errorf(name, diag.HostType, "give it a node: what Tree.Dense returned", "%s is nil", what)
		return
	case n.Store() == nil:
		b.errorf(name, diag.HostType, "give it a node: what Tree.Dense returned", "%s is a node of no tree", what)
		return
	case n.Store() != b.store:
		b.errorf(name, diag.OtherRuntime, "build its tree in the runtime that loads the source", "%s is a node of another runtime", what)
		return
	}
	c, err := n.Core()
	if err != nil {
		b.report(name, path, err)
		return
	}
	b.Host.Fields[path] = HostField(c)
	b.Fields = append(b.Fields, Field{Path: path, Core: c, via: slices.Clone(b.via)})
	b.Layout[path] = job.Place{Field: c.Layout()}
}

// bindConst binds a constant of the source.
func (b *Binder) bindConst(path string, v reflect.Value) {
	if !v.CanAddr() { // in an interface
		at := reflect.New(v.Type()).Elem()
		at.Set(v)
		v = at
	}
	c := &Const{Name: path, Value: v, via: slices.Clone(b.via)}
	c.memory = MemoryOf(v)
	b.Consts, b.Values = append(b.Consts, c), append(b.Values, c.snapshot())
	b.Host.Consts[path] = ConstOf(c.Value)
}

// mixed reports whether the first component of a field, which loops over the field go by, lies in
// a dense tree and another in a sparse one. The compiler takes a field for dense or sparse as a whole.
func mixed(c *store.Field) bool {
	if c.Elem() == nil {
		return false
	}
	for k := c.Lo(); k < c.Hi(); k++ {
		if c.Layout().NodeOf(k).Sparse() && !c.LayoutNode().Sparse() {
			return true
		}
	}
	return false
}

// report passes on why the field or node for a var cannot be used.
func (b *Binder) report(name, path string, err error) {
	b.Faulty[name] = true
	for _, s := range diag.List(err, b.pos) {
		at := *s
		at.Msg = fmt.Sprintf("%s: %s", path, strings.TrimPrefix(s.Msg, "ti: "))
		if !b.param {
			at.Msg = "var " + at.Msg
		}
		b.Errs = append(b.Errs, &at)
	}
}

var nodeKinds = [...]typed.NodeKind{
	layout.Dense: typed.NodeDense, layout.Pointer: typed.NodePointer, layout.Bitmasked: typed.NodeBitmasked,
	layout.Dynamic: typed.NodeDynamic, layout.Hash: typed.NodeHash,
}

// NodeKind is what the checker calls a kind of nodes.
func NodeKind(k layout.NodeKind) typed.NodeKind { return nodeKinds[k] }

// HostField describes a field, or the cells of a node, to the checker.
func HostField(c *store.Field) outline.HostField {
	h := outline.HostField{Shape: store.Ints(c.Layout().Shape()), Origin: store.Ints(c.Layout().Origin())}
	if c.Elem() != nil {
		h.Elem = hostabi.TypeOf(c.Elem())
	}
	n := c.LayoutNode()
	h.Node, h.Sparse, h.List, h.Unbounded = nodeKinds[n.Kind()], n.Sparse(), n.Kind() == layout.Dynamic, c.Unbounded()
	return h
}

// HostFieldWith describes a field and its companions, which are ready if the field is, to the checker.
func HostFieldWith(c *store.Field) outline.HostField {
	h := HostField(c)
	for r, to := range []**outline.HostField{store.Grad: &h.Grad, store.Dual: &h.Dual} {
		if g := c.Placed(store.Role(r)); g != nil {
			of := HostField(g)
			*to = &of
		}
	}
	return h
}
