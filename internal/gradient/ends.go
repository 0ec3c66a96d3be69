package gradient

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// A derivative passes from one kernel to the next through the companion of a field, its adjoint or tangent. A field
// without one ends it: what one launch has stored there is a constant to the next. The gradient then lacks a part,
// and nothing else tells. So while a tape records, or tangents are carried, the flows of each launch are followed
// ([job.Flow]). In the end a message says which fields end a derivative on its way to the loss.

// An endings finds such fields. A nil one finds nothing.
type endings struct {
	role store.Role

	mu      sync.Mutex // guards what follows
	kernels map[*variant.Variant]*flowing
	changes int // of stored, so far
	stored  []*storing
	found   []*ending
}

// A flowing is a kernel with its flows between fields of the host.
type flowing struct {
	flows    []hostFlow
	followed int // the changes before its last launch that had something to do; -1 before the first one
}

// A hostFlow is a flow between fields of the host.
type hostFlow struct {
	from, to    fieldPart
	read, write launch.Place
	own         bool
}

// A fieldPart is some components of a field that is no member. From number 63 on they have one bit in common.
type fieldPart struct {
	name    *store.Field // as the kernel names it
	root    *store.Field
	comps   uint64
	carries bool // it has a companion there
}

// meets reports whether two parts have a component in common.
func (p *fieldPart) meets(q *fieldPart) bool { return p.root == q.root && p.comps&q.comps != 0 }

// A storing is a part of a field in which a kernel has stored numbers with a derivative.
type storing struct {
	fieldPart
	by *variant.Variant
	at launch.Place
}

// An ending is a field that ends a derivative: what one kernel has stored there another one reads, and makes something
// of it.
type ending struct {
	*storing
	reader *variant.Variant
	read   launch.Place
	from   fieldPart
	to     fieldPart
}

func newEndings(r store.Role) *endings {
	return &endings{role: r, kernels: map[*variant.Variant]*flowing{}}
}

// launch takes a launch.
func (e *endings) launch(v *variant.Variant) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.kernels[v]
	if k == nil {
		k = e.flowing(v)
		e.kernels[v] = k
	}
	if k.followed == e.changes {
		return
	}
	k.followed = e.changes // what it changes now the next launch of it finds
	before := len(e.stored)
	for {
		changes := e.changes
		for i := range k.flows {
			e.flow(v, &k.flows[i], before)
		}
		if e.changes == changes {
			break
		}
	}
}

// flowing finds the fields of the host that the flows of a kernel are between.
func (e *endings) flowing(v *variant.Variant) *flowing {
	k := &flowing{followed: -1}
	all := v.Flows.Load()
	if all == nil {
		return k
	}
	for i := range *all {
		f := &(*all)[i]
		from, ok := e.part(v, f.From)
		to, ok2 := e.part(v, f.To)
		if ok && ok2 {
			k.flows = append(k.flows, hostFlow{from, to, f.Read, f.Write, f.Own})
		}
	}
	return k
}

func (e *endings) part(v *variant.Variant, p job.FieldPart) (fieldPart, bool) {
	c := v.Scope.Named(p.Field)
	if c == nil {
		return fieldPart{}, false
	}
	all := fieldPart{name: c, root: c.Root(), carries: v.Scope.Named(p.Field+e.role.Suffix()) != nil}
	for i := range 64 {
		if p.Comps>>i&1 != 0 {
			all.comps |= 1 << min(c.Lo()+i, 63)
		}
	}
	return all, true
}

// flow takes one flow of a launch, which began when so many storings were known.
func (e *endings) flow(v *variant.Variant, f *hostFlow, before int) {
	active := f.from.carries
	if !active {
		known := e.stored
		if !f.own {
			known = known[:before]
		}
		for _, s := range known {
			if s.meets(&f.from) {
				active = true
				e.end(s, v, f)
			}
		}
	}
	if !active || slices.ContainsFunc(e.stored, func(s *storing) bool { return s.root == f.to.root && f.to.comps&^s.comps == 0 }) {
		return
	}
	e.stored = append(e.stored, &storing{f.to, v, f.write})
	e.changes++
}

// end notes that what was stored is read without a derivative.
func (e *endings) end(s *storing, v *variant.Variant, f *hostFlow) {
	if slices.ContainsFunc(e.found, func(x *ending) bool { return x.root == s.root && x.reader == v && x.to.meets(&f.to) }) {
		return
	}
	e.found = append(e.found, &ending{s, v, f.read, f.from, f.to})
}

// forget takes it that the program has stored constants in all elements of a field.
func (e *endings) forget(c *store.Field) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	mask := uint64(0)
	for i := c.Lo(); i < min(c.Hi(), 63); i++ {
		mask |= 1 << i
	}
	if c.Lo() == 0 && !c.IsMember() {
		mask = ^uint64(0)
	}
	root := c.Root()
	e.stored = slices.DeleteFunc(slices.Clone(e.stored), func(s *storing) bool { return s.root == root && s.comps&^mask == 0 })
	e.changes++
}

// reaching returns the endings whose derivative would go on to the loss, or if there is none, to any field with a
// companion.
func (e *endings) reaching(loss *store.Field) (all []*ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var reached []fieldPart
	if loss != nil {
		reached = []fieldPart{{root: loss.Root(), comps: 1 << min(loss.Lo(), 63)}}
	}
	add := func(p fieldPart) (isNew bool) {
		for _, q := range reached {
			if q.root == p.root {
				p.comps &^= q.comps
			}
		}
		if p.comps != 0 {
			reached = append(reached, p)
		}
		return p.comps != 0
	}
	for changed := true; changed; {
		changed = false
		for _, k := range e.kernels {
			for i := range k.flows {
				f := &k.flows[i]
				if loss == nil && f.to.carries || slices.ContainsFunc(reached, f.to.meetsOther) {
					changed = add(f.from) || changed
				}
			}
		}
	}
	for _, x := range e.found {
		if loss == nil && x.to.carries || slices.ContainsFunc(reached, x.to.meetsOther) {
			all = append(all, x)
		}
	}
	return all
}

func (p *fieldPart) meetsOther(q fieldPart) bool { return p.meets(&q) }

// message says where a derivative ends, and what to do.
func (x *ending) message(r store.Role) string {
	name := x.from.name.Name()
	what, with, how := "adjoint", "Grad", "ti.WithGrad"
	if r == store.Dual {
		what, with, how = "tangent", "Dual", "ti.WithDual"
	}
	where := fmt.Sprintf("between kernel %s, which stores it at %s, and kernel %s, which reads it at %s", x.by.Kernel.Name, variant.Place(variant.PlaceOf(x.at)), x.reader.Kernel.Name, variant.Place(variant.PlaceOf(x.read)))
	if x.by.Kernel == x.reader.Kernel {
		where = fmt.Sprintf("in kernel %s, which stores it at %s and reads it at %s", x.by.Kernel.Name, variant.Place(variant.PlaceOf(x.at)), variant.Place(variant.PlaceOf(x.read)))
	}
	return fmt.Sprintf("%s has no %s, so the derivative through it ends %s; place %s.%s() too, as by %s, or say that it is meant: Runtime.Constant, or stopGrad where it is read", name, what, where, name, with, how)
}

// report reports the fields that end a derivative on its way to the loss: each once by a line on standard error, in
// debug mode by an error.
func (g *Gradients) report(e *endings, loss *store.Field) error {
	var all []*ending
	var texts []string
	g.endsMu.Lock()
	defer g.endsMu.Unlock()
	reported := map[*store.Field]bool{}
	for _, x := range e.reaching(loss) {
		if reported[x.root] || x.from.comps&x.comps&^g.constants[x.root] == 0 {
			continue
		}
		reported[x.root] = true
		all, texts = append(all, x), append(texts, x.message(e.role))
	}
	g.endsFound = texts
	if len(all) > 0 && g.Maker.Opt.Debug {
		x := all[0]
		return &variant.RuntimeError{Kernel: x.reader.Kernel.Name, Pos: variant.PlaceOf(x.read), Err: diag.ErrGradient, Count: len(all), Field: x.from.name.Name(), Other: variant.PlaceOf(x.at), Msg: texts[0]}
	}
	for i, x := range all {
		if slices.Contains(g.endsReported[e.role], x.root) {
			continue
		}
		g.endsReported[e.role] = append(g.endsReported[e.role], x.root)
		var to io.Writer = os.Stderr
		if g.warnings != nil {
			to = g.warnings
		}
		fmt.Fprintf(to, "ti: %s\n", texts[i])
	}
	return nil
}

// Endings are what the last tape has found: the fields that end a derivative, and where.
func (g *Gradients) Endings() string {
	g.endsMu.Lock()
	defer g.endsMu.Unlock()
	return strings.Join(g.endsFound, "; ")
}

// Warnings makes warnings be written to w instead of standard error, each once from now on.
func (g *Gradients) Warnings(w io.Writer) {
	g.endsMu.Lock()
	defer g.endsMu.Unlock()
	g.warnings, g.endsReported = w, [2][]*store.Field{}
}

// Constant declares that fields are meant to end derivatives; see ti.Runtime.Constant.
func (g *Gradients) Constant(fields ...*store.Field) error {
	if err := g.usable("Constant"); err != nil {
		return err
	}
	for _, c := range fields {
		if c == nil {
			return diag.Errorf(diag.ErrArgs, "Constant of a nil field")
		}
		if err := c.Ready(); err != nil {
			return err
		}
		if c.Node().Store() != g.Maker.Store {
			return diag.Errorf(diag.ErrArgs, "%s is a field of another runtime", c.Name())
		}
		for r, what := range []string{store.Grad: "adjoint", store.Dual: "tangent"} {
			if c.Placed(store.Role(r)) != nil {
				return diag.Errorf(diag.ErrArgs, "%s has an %s, and derivatives pass through it; mark its uses by stopGrad, or do not place the %[2]s", c.Name(), what)
			}
		}
	}
	g.endsMu.Lock()
	defer g.endsMu.Unlock()
	if g.constants == nil {
		g.constants = map[*store.Field]uint64{}
	}
	for _, c := range fields {
		for i := c.Lo(); i < c.Hi(); i++ {
			g.constants[c.Root()] |= 1 << min(i, 63)
		}
	}
	return nil
}
