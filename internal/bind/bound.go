package bind

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/typed"
)

// A Bound is what the declarations of a source stand for. It does not change: what is bound again is another one.
type Bound struct {
	Scope
	Host   outline.Host // as the checker knows it
	Consts []*Const
	Values []Snapshot // of all constants, as Host has them
}

// NewBound returns what no declaration is bound in yet.
func NewBound(w typed.Widths) Bound {
	return Bound{Scope: Scope{Layout: job.Layout{}}, Host: outline.Host{Fields: map[string]outline.HostField{}, Consts: map[string]outline.HostConst{}, Widths: w}}
}

// Snapshots returns the values that the constants with these names have now.
func (b *Bound) Snapshots(names []string) []Snapshot {
	var out []Snapshot
	for _, c := range b.Consts {
		if slices.Contains(names, c.Name) {
			out = append(out, c.snapshot())
		}
	}
	return out
}

// IsStale reports whether a constant has another value than Host has.
func (b *Bound) IsStale() bool {
	return slices.ContainsFunc(b.Values, func(s Snapshot) bool { return !s.Same() })
}

// Read returns b with the constants as they are now.
func (b *Bound) Read() Bound {
	next := *b
	next.Values, next.Host.Consts = nil, map[string]outline.HostConst{}
	for _, c := range b.Consts {
		next.Values = append(next.Values, c.snapshot())
	}
	for _, c := range b.Consts {
		next.Host.Consts[c.Name] = ConstOf(c.Value)
	}
	return next
}

// Refs returns the pointers of the host that a kernel depends on.
func (b *Bound) Refs(f *outline.Kernel) (refs []Ref) {
	for _, x := range b.Fields {
		if len(x.via) > 0 && slices.ContainsFunc(f.Fields, func(g *typed.Field) bool { return g.Name == x.Path }) {
			refs = append(refs, x.via...)
		}
	}
	for _, c := range b.Consts {
		if slices.Contains(f.Consts, c.Name) {
			refs = append(refs, c.via...)
		}
	}
	return refs
}

// moved reports whether a pointer to something that the var is bound to has changed.
func (b *Bound) moved(name string) bool {
	for _, f := range b.Fields {
		if rootOf(f.Path) == name && moved(f.via) {
			return true
		}
	}
	for _, c := range b.Consts {
		if rootOf(c.Name) == name && moved(c.via) {
			return true
		}
	}
	return false
}

// rootOf returns the name of the var that a path begins with.
func rootOf(path string) string {
	if n := strings.IndexAny(path, ".["); n >= 0 {
		return path[:n]
	}
	return path
}

// with returns b with new bindings instead of its old ones. Each field must have the layout, and each
// constant the type, of the one in whose place it is.
func (b *Bound) with(again *Bound) (Bound, error) {
	next := *b
	next.Scope, next.Consts, next.Values = b.Scope.Clone(), slices.Clone(b.Consts), slices.Clone(b.Values)
	for _, f := range again.Fields {
		i := slices.IndexFunc(next.Fields, func(o Field) bool { return o.Path == f.Path })
		if i < 0 {
			return *b, diag.Errorf(diag.ErrArgs, "the host has a field for %s now, and had none when the source was loaded; load it again", f.Path)
		}
		if why := differ(next.Fields[i].Core, f.Core, b.Host.Fields[f.Path], again.Host.Fields[f.Path]); why != "" {
			return *b, diag.Errorf(diag.ErrArgs, "%s now stands for %s, which %s that for which the source was loaded; place them alike, load the source again, or make it a parameter of the kernel", f.Path, f.Core.Name(), why)
		}
		next.Fields[i], next.Layout[f.Path] = f, again.Layout[f.Path]
	}
	for _, c := range again.Consts {
		i := slices.IndexFunc(next.Consts, func(o *Const) bool { return o.Name == c.Name })
		if i < 0 || next.Consts[i].Value.Type() != c.Value.Type() {
			return *b, diag.Errorf(diag.ErrArgs, "the host has a %v for %s now, and had another value when the source was loaded; load it again", c.Value.Type(), c.Name)
		}
		next.Consts[i] = c
		for k := range next.Values {
			if next.Values[k].Of.Name == c.Name {
				next.Values[k].Of = c
			}
		}
	}
	return next, nil
}
