package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
	"github.com/gotaichi/ti/internal/vet"
)

// vetSource returns the warnings about a source without errors. If host is nil, it assumes
// ranks and constants that make the source right, and fails if there are none.
func vetSource(files []*syntax.File, host *check.Host) (syntax.ErrorList, error) {
	pkg, errs := check.Declare(files)
	if len(errs) > 0 {
		return nil, nil
	}
	var p *check.Program
	var err error
	if host == nil {
		p, err = assumed(pkg)
	} else if p, errs = pkg.Check(host); len(errs) > 0 {
		err = errs
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not vetted: %w", script.Display(files[0].Name), err)
	}
	warnings := vet.Check(&p.Program, files, host == nil)
	for _, w := range warnings {
		w.Msg = "warning: " + w.Msg
	}
	return warnings, nil
}

// assumed checks a package against a host that is made up: each open rank is the
// one that leaves the fewest errors, and each number one of a few that are tried.
func assumed(pkg *check.Package) (*check.Program, error) {
	var fewest syntax.ErrorList
	for _, n := range []int64{16, 1, 2, 3, 4, 64} {
		for rank := 1; rank <= 3; rank++ {
			h := &madeUp{host: &check.Host{Fields: map[string]check.HostField{}, Consts: map[string]check.HostConst{}}, number: n, rank: rank}
			for _, v := range h.declared(pkg).Vars {
				h.bind(v.Name, v.Type)
			}
			p, errs := h.settle(pkg)
			if len(errs) == 0 {
				return p, nil
			}
			if fewest == nil || len(errs) < len(fewest) {
				fewest = errs
			}
		}
	}
	return nil, fmt.Errorf("nothing was found that could be bound to it (a rank can be written, as in field[f32, D2]); the best guess gives %w", fewest[0])
}

// madeUp is a host without a program.
type madeUp struct {
	host   *check.Host
	number int64    // value of the constants
	rank   int      // that open ones start with
	open   []string // fields whose rank is not written
}

// declared makes up constants until all types that depend on them are known.
func (h *madeUp) declared(pkg *check.Package) *check.Package {
	for {
		before := len(h.host.Consts)
		for _, v := range pkg.Vars {
			if !script.IsBundle(v.Type) && script.DependsOnConstants(pkg, v.Type) == nil {
				h.constant(v.Name, v.Type)
			}
		}
		next, errs := pkg.With(maps.Clone(h.host.Consts))
		if len(h.host.Consts) == before || len(errs) > 0 {
			return pkg
		}
		pkg = next
	}
}

// bind makes up what is bound to a path.
func (h *madeUp) bind(path string, t typed.Type) {
	switch t := t.(type) {
	case typed.FieldType:
		rank := t.Rank
		if rank < 0 {
			h.open = append(h.open, path)
			rank = h.rank
		}
		h.field(path, t.Elem, rank)
	case typed.NodeType:
		h.open = append(h.open, path)
		h.field(path, nil, h.rank)
	case *typed.Struct:
		for _, f := range t.Fields {
			h.bind(path+"."+f.Name, f.Type)
		}
	case typed.Array:
		base := t.Elem
		for a, ok := base.(typed.Array); ok; a, ok = base.(typed.Array) {
			base = a.Elem
		}
		if _, ok := base.(typed.Scalar); ok {
			h.constant(path, t)
			return
		}
		for i := range t.Len {
			h.bind(fmt.Sprintf("%s[%d]", path, i), t.Elem)
		}
	default:
		h.constant(path, t)
	}
}

func (h *madeUp) field(path string, elem typed.Type, rank int) {
	if elem == typed.Type(typed.Unknown) {
		elem = nil // depends on a constant
	}
	f := check.HostField{Elem: elem, Shape: slices.Repeat([]int{16}, rank), Symbolic: true}
	h.host.Fields[path] = withDerivatives(f)
}

// withDerivatives adds the adjoint and the tangent of a field, should the source name them.
func withDerivatives(f check.HostField) check.HostField {
	of := f
	f.Grad, f.Dual = &of, &of
	return f
}

func (h *madeUp) constant(path string, t typed.Type) {
	var dims []int
	for a, ok := t.(typed.Array); ok; a, ok = a.Elem.(typed.Array) {
		dims = append(dims, a.Len)
	}
	n := typed.IntNum(h.number)
	switch s := typed.ScalarOf(t); {
	case s == typed.Bool:
		n = typed.BoolNum(true)
	case s.IsFloat():
		n = typed.FloatNum(float64(h.number))
	}
	h.host.Consts[path] = check.HostConst{Vals: slices.Repeat([]typed.Num{n}, typed.Components(t)), Dims: dims}
}

// settle chooses the open ranks: first as errors about the number of indices ask
// for, then one by one those that leave the fewest errors, in some rounds, since
// one may depend on another.
func (h *madeUp) settle(pkg *check.Package) (*check.Program, syntax.ErrorList) {
	p, errs := pkg.Check(h.host)
	for try := 0; try < 4 && len(errs) > 0; try++ {
		h.heed(errs)
		p, errs = pkg.Check(h.host)
	}
	for range 2 {
		for _, path := range h.open {
			if len(errs) == 0 {
				return p, nil
			}
			best := h.host.Fields[path]
			for rank := 1; rank <= 4; rank++ {
				f := best
				f.Shape = slices.Repeat([]int{16}, rank)
				h.host.Fields[path] = f
				q, list := pkg.Check(h.host)
				if len(list) < len(errs) {
					p, errs, best = q, list, h.host.Fields[path]
				}
			}
			h.host.Fields[path] = best
		}
	}
	return p, errs
}

// indexCount matches the text of the error about the number of indices.
var indexCount = regexp.MustCompile(`^(\S+) has \d+ ax[ei]s, and this gives (\d)$`)

// noList matches the text of the error about a list operation on a field without lists.
var noList = regexp.MustCompile(`^\S+ takes a list, and (\S+) has none:`)

// heed gives open ranks the numbers of indices that errors have found, and lists to the
// fields whose lists the source uses.
func (h *madeUp) heed(errs syntax.ErrorList) {
	for _, e := range errs {
		if m := noList.FindStringSubmatch(e.Msg); e.Code == syntax.NotAList && m != nil {
			if f, ok := h.host.Fields[m[1]]; ok {
				f.Node, f.Sparse, f.List = typed.NodeDynamic, true, true
				h.host.Fields[m[1]] = f
			}
			continue
		}
		m := indexCount.FindStringSubmatch(e.Msg)
		if e.Code != syntax.IndexCount || m == nil || !slices.Contains(h.open, m[1]) {
			continue
		}
		if rank, err := strconv.Atoi(m[2]); err == nil {
			f := h.host.Fields[m[1]]
			f.Shape = slices.Repeat([]int{16}, rank)
			h.host.Fields[m[1]] = f
		}
	}
}

// describeHost returns what a session binds, as the checker needs it; trees has the fields in trees.
func describeHost(s *script.Session, trees map[string]check.HostField) *check.Host {
	h := &check.Host{Fields: map[string]check.HostField{}, Consts: map[string]check.HostConst{}}
	for _, v := range s.Package.Vars {
		t, inTree := trees[v.Name]
		f, isField := v.Type.(typed.FieldType)
		switch {
		case inTree:
			if isField {
				t.Elem = f.Elem
			}
		case isField:
			t = check.HostField{Elem: f.Elem, Shape: s.Fields[v.Name].Shape()}
		default:
			k := check.HostConst{}
			flatten(reflect.ValueOf(s.Host[v.Name]), &k, true)
			h.Consts[v.Name] = k
			continue
		}
		if t.Elem == typed.Type(typed.Unknown) {
			t.Elem = nil // depends on a constant
		}
		t.Symbolic = true
		h.Fields[v.Name] = withDerivatives(t)
	}
	return h
}

// flatten appends the numbers of a constant to k.Vals in row-major order. On the way to the
// first number, first is true, and it appends the lengths of the arrays to k.Dims.
func flatten(v reflect.Value, k *check.HostConst, first bool) {
	switch v.Kind() {
	case reflect.Array, reflect.Slice:
		if first {
			k.Dims = append(k.Dims, v.Len())
		}
		for i := range v.Len() {
			flatten(v.Index(i), k, first && i == 0)
		}
	case reflect.Bool:
		k.Vals = append(k.Vals, typed.BoolNum(v.Bool()))
	case reflect.Float32, reflect.Float64:
		k.Vals = append(k.Vals, typed.FloatNum(v.Float()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		k.Vals = append(k.Vals, typed.UintNum(v.Uint()))
	default:
		k.Vals = append(k.Vals, typed.IntNum(v.Int()))
	}
}
