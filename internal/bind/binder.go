package bind

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// Bindings binds vars of a source without a struct.
type Bindings map[string]any

// An entry is something of the host that a declaration may be bound to.
type entry struct {
	name  string
	value reflect.Value // addressable
	what  string        // for messages: "field X of Sim"
	bad   string        // why it cannot be bound; "" if it can
}

// A Binder binds the declarations of a package to a host. What it has bound is in Bound, mistakes are in Errs.
type Binder struct {
	store   *store.Store
	pkg     *outline.Package
	pos     token.Position // of the call
	entries []entry
	used    map[string]bool

	Bound
	Funcs  []Func
	Errs   diag.ErrorList
	Faulty map[string]bool // names with an error reported here

	via   []Ref // the host's pointers to the part that is being bound
	param bool  // what is bound is a parameter of a kernel, not a var

	// The var being bound leads back to itself. No more of it is bound: where each
	// struct has two pointers, the paths double at every step.
	circular bool
}

// New returns what binds a package to fields of a store. Mistakes are at pos.
func New(st *store.Store, pkg *outline.Package, w typed.Widths, pos token.Position) *Binder {
	return &Binder{store: st, pkg: pkg, pos: pos, used: map[string]bool{}, Faulty: map[string]bool{}, Bound: NewBound(w)}
}

// NewParam is New for the parameters of a kernel.
func NewParam(st *store.Store, pkg *outline.Package, w typed.Widths) *Binder {
	b := New(st, pkg, w, token.Position{})
	b.param = true
	return b
}

// A Func is a func of the host's that is to be set to a kernel.
type Func struct {
	Kernel string
	Value  reflect.Value
	What   string // for messages
}

func (b *Binder) errorf(name string, code diag.Code, help, format string, args ...any) {
	b.Faulty[name] = true
	b.Errs = append(b.Errs, &diag.Error{Code: code, Pos: b.pos, Msg: fmt.Sprintf(format, args...), Help: help, Cause: causes[code]})
}

// causes are what errors.Is finds in the mistakes of a host.
var causes = map[diag.Code]error{
	diag.NotPlaced: diag.ErrPlace, diag.ClosedField: diag.ErrClosed, diag.FuncSignature: diag.ErrArgs,
	diag.HostType: diag.ErrArgs, diag.OtherRuntime: diag.ErrPlace,
}

// Collect lists what the host offers.
func (b *Binder) Collect(host any) {
	if host == nil {
		return
	}
	if m, ok := host.(Bindings); ok {
		b.collectMap(m)
		return
	}
	v := reflect.ValueOf(host)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		help := "give a pointer to a struct, or ti.Bindings"
		if v.Kind() == reflect.Struct {
			name := "host"
			if own := v.Type().Name(); own != "" {
				name = strings.ToLower(own)
			}
			help = "give its address, a pointer to a struct: &" + name
		}
		b.errorf("", diag.HostType, help, "a host of type %T", host)
		return
	}
	b.entries = membersOf(v.Elem(), nil)
}

func (b *Binder) collectMap(m Bindings) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		e := entry{name: name, what: "binding " + name}
		v := reflect.ValueOf(m[name])
		if !v.IsValid() {
			e.bad = "it is nil"
			b.entries = append(b.entries, e)
			continue
		}
		e.value = reflect.New(v.Type()).Elem()
		e.value.Set(v)
		b.entries = append(b.entries, e)
	}
}

// membersOf lists the fields of a struct, and then those of the structs embedded in
// it, which the former hide as in Go. within has the types of the structs that v is
// embedded in. If v has one of these types, they hide all of its members, and it is left
// out: its embedded pointers may lead back to itself.
func membersOf(v reflect.Value, to []entry, within ...reflect.Type) []entry {
	t := v.Type()
	if slices.Contains(within, t) {
		return to
	}
	var embedded []reflect.Value
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("ti")
		if tag == "-" || sf.Name == "_" {
			continue
		}
		if sf.Anonymous && tag == "" {
			inner := v.Field(i)
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && !IsFieldType(inner.Type()) {
				embedded = append(embedded, inner)
				continue
			}
		}
		e := entry{name: sf.Name, value: v.Field(i), what: fmt.Sprintf("field %s of %v", sf.Name, t)}
		if tag != "" {
			e.name = tag
		}
		if !sf.IsExported() {
			e.bad = "it is unexported"
		}
		if !slices.ContainsFunc(to, func(o entry) bool { return o.name == e.name }) {
			to = append(to, e)
		}
	}
	for _, inner := range embedded {
		to = membersOf(inner, to, append(slices.Clone(within), t)...)
	}
	return to
}

// find returns the entry for a declaration.
func (b *Binder) find(name string) (entry, bool) {
	e, ok := findEntry(b.entries, name)
	if ok {
		b.used[e.name] = true
	}
	return e, ok
}

// findEntry returns the entry of that name.
func findEntry(entries []entry, name string) (entry, bool) {
	for _, e := range entries {
		if e.name == name {
			return e, true
		}
	}
	// A lower-case spelling is what one writes before remembering that Go sets
	// exported fields only.
	for _, e := range entries {
		if strings.EqualFold(e.name, name) && e.bad != "" {
			return e, true
		}
	}
	return entry{}, false
}

// Bind binds all declarations.
func (b *Binder) Bind() {
	for _, v := range b.pkg.Vars {
		e, ok := b.find(v.Name)
		if !ok {
			continue // the checker reports it, at its place in the source
		}
		if e.bad != "" {
			b.errorf(v.Name, diag.Unexported, remedyFor(e, v.Name), "%s cannot be bound to var %s: %s", e.what, v.Name, e.bad)
			continue
		}
		b.bindVar(v, e)
	}
	for _, k := range b.pkg.Kernels {
		e, ok := b.find(k.Name)
		switch {
		case !ok:
		case e.bad != "":
			b.errorf(k.Name, diag.Unexported, remedyFor(e, k.Name), "%s cannot be set to kernel %s: %s", e.what, k.Name, e.bad)
		case e.value.Kind() != reflect.Func:
			b.errorf(k.Name, diag.FuncSignature, "make it a func", "%s is a %v, and %s of the source is a kernel", e.what, e.value.Type(), k.Name)
		default:
			b.Funcs = append(b.Funcs, Func{k.Name, e.value, e.what})
		}
	}
	b.leftovers()
	b.overlaps()
}

// Unbound reports the vars of the source that the host has nothing for, as the checker does.
func (b *Binder) Unbound() (errs diag.ErrorList) {
	for _, v := range b.pkg.Vars {
		if _, ok := findEntry(b.entries, v.Name); ok {
			continue
		}
		e := &diag.Error{Code: diag.NotBound, Pos: v.Pos}
		switch kindOfVar(v.Type) {
		case aField:
			e.Msg, e.Help = "field "+v.Name+" is not bound", "let the host place and bind a field of this name"
		case aNode:
			e.Msg, e.Help = "node "+v.Name+" is not bound", "let the host place and bind a node of this name"
		default:
			e.Msg, e.Help = "constant "+v.Name+" is not bound", "let the host give a constant of this name"
		}
		errs = append(errs, e)
	}
	return errs
}

func remedyFor(e entry, name string) string {
	if e.bad != "it is unexported" {
		return "give it a value"
	}
	if strings.ToUpper(e.name[:1]) == name[:1] {
		return "write it as " + name
	}
	return fmt.Sprintf("begin its name with a capital letter, and add the tag `ti:%q`", name)
}

func (b *Binder) bindField(name, path, what string, c *store.Field) {
	if c == nil {
		b.errorf(name, diag.HostType, "give it a field: ti.NewField", "%s is nil", what)
		return
	}
	if n := c.Node(); n != nil && n.Store() != b.store {
		b.errorf(name, diag.OtherRuntime, "place it in the runtime that loads the source", "%s was placed in another runtime, at %s:%d", what, c.Pos().Filename, c.Pos().Line)
		return
	}
	if !b.param {
		b.store.NameAfter(c, path)
	}
	if err := c.Ready(); err != nil {
		b.report(name, path, err)
		return
	}
	if mixed(c) {
		b.errorf(name, diag.HostType, "place the first member in a sparse tree too, or all members in dense ones", "%s has its first member in a dense tree and others in sparse ones; which elements are active goes by the first", what)
		return
	}
	b.Fields = append(b.Fields, Field{Path: path, Core: c, via: slices.Clone(b.via)})
	b.Layout[path] = job.Place{Field: c.Layout(), First: c.Lo()}
	for _, r := range []store.Role{store.Grad, store.Dual} {
		g, err := c.ReadyCompanion(r)
		if err != nil {
			b.report(name, path, err)
		}
		if g != nil {
			b.Fields = append(b.Fields, Field{Path: path + r.Suffix(), Core: g, via: slices.Clone(b.via)})
			b.Layout[path+r.Suffix()] = job.Place{Field: g.Layout(), First: g.Lo()}
		}
	}
	b.Host.Fields[path] = HostFieldWith(c)
}

// Again returns was with those vars bound again whose pointers in the host have changed. The binder has bound nothing
// yet.
func (b *Binder) Again(was *Bound, host any) (Bound, error) {
	for _, v := range b.pkg.Vars {
		if !was.moved(v.Name) {
			continue
		}
		if b.entries == nil {
			b.Collect(host)
		}
		if e, ok := b.find(v.Name); ok && e.bad == "" {
			b.bindVar(v, e)
		}
	}
	switch {
	case len(b.Errs) > 0:
		return *was, b.Errs.Sort()
	case len(b.Fields) == 0 && len(b.Consts) == 0:
		return *was, nil
	}
	return was.with(&b.Bound)
}

// leftovers reports fields and funcs of the host without a counterpart.
func (b *Binder) leftovers() {
	var names []string
	for _, v := range b.pkg.Vars {
		names = append(names, v.Name)
	}
	for _, k := range b.pkg.Kernels {
		names = append(names, k.Name)
	}
	for _, e := range b.entries {
		if b.used[e.name] || e.bad != "" || !e.value.IsValid() {
			continue
		}
		_, field := AsField(e.value)
		if !field && e.value.Kind() != reflect.Func && !strings.HasPrefix(e.what, "binding") {
			continue
		}
		help := "correct the name, or hide it with the tag `ti:\"-\"`"
		if n := nearest(e.name, names); n != "" {
			help = "did you mean " + n + "?"
		}
		b.errorf(e.name, diag.NoCounterpart, help, "%s has no counterpart %s in the source", e.what, e.name)
	}
}

// overlaps reports components that are bound under two names.
func (b *Binder) overlaps() {
	for i, f := range b.Fields {
		for _, g := range b.Fields[:i] {
			if f.Core.Overlaps(g.Core) {
				b.errorf("", diag.BoundTwice, "use one name, or two fields", "vars %s and %s of the source are bound to the same memory", g.Path, f.Path)
			}
		}
	}
}

// nearest returns the name that differs from name by little, or "".
func nearest(name string, names []string) string {
	best, limit := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < limit {
			best, limit = n, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
