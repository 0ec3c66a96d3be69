package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// A shipped is the compiling half of a target in a program that has kernels compiled ahead of
// time. It makes the compiler of the target when a kernel is wanted that is not among them.
type shipped struct {
	set  *ahead.Set
	made func() (target.Compiler, error)

	mu   sync.Mutex
	real target.Compiler // nil as long as it was not needed
}

func newShipped(set *ahead.Set, make func() (target.Compiler, error)) *shipped {
	s := &shipped{set: set}
	s.made = sync.OnceValues(func() (target.Compiler, error) {
		c, err := make()
		if err == nil {
			s.mu.Lock()
			s.real = c
			s.mu.Unlock()
		}
		return c, err
	})
	return s
}

// compiler is the target's, and stands for none if it cannot be made.
func (s *shipped) compiler() target.Compiler {
	if c, err := s.made(); err == nil {
		return c
	}
	return s.none()
}

// none is a compiler that makes no code.
func (s *shipped) none() target.Compiler {
	return target.None{Of: target.Traits{Name: "ahead", Processor: s.set.Level()}}
}

// Traits are those of the code that there is, until something else has been compiled.
func (s *shipped) Traits() target.Traits {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.real != nil {
		return s.real.Traits()
	}
	return s.none().Traits()
}

// Stages are the compiler's, as everything below.
func (s *shipped) Stages() []string { return s.compiler().Stages() }

func (s *shipped) Identity(o target.Options) (string, error) { return s.compiler().Identity(o) }

func (s *shipped) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	return s.compiler().Translate(k, o)
}

// shippedCode returns the code of u that was compiled ahead of time, nil if there is none. It
// fails for a damaged file, and where the code is missing and cannot be made now.
func (rt *Runtime) shippedCode(inst *instance, u *driver.Unit) (*driver.Compiled, error) {
	if rt.shipped == nil {
		return nil, nil
	}
	k, pieces, err := rt.shipped.set.Find(u.AheadKey())
	if k != nil || err != nil {
		return &driver.Compiled{Launch: k, Pieces: pieces}, err
	}
	if _, err := rt.shipped.made(); err != nil {
		return nil, rt.shipped.missing(inst, err)
	}
	return nil, nil
}

// missing is the error for a kernel that is not among those compiled ahead of time; why says
// what is in the way of compiling it now.
func (s *shipped) missing(inst *instance, why error) error {
	what := "kernel %s is not among those compiled ahead of time"
	if len(s.set.Variants(inst.k.p.sourceKey(), inst.k.name)) > 0 {
		what = "kernel %s was compiled ahead of time for other element types, layouts, sizes, constants or options than it is launched with (" + inst.describe() + ")"
	}
	if unfit := s.set.Unfit(); unfit != "" {
		what += ": " + unfit
	}
	return fmt.Errorf("%w: "+what+"; compile it ahead as well, by %s, or let the program compile it: %w", ErrArch, inst.k.name, s.commands(), why)
}

// commands are those to run again, with other flags perhaps.
func (s *shipped) commands() string {
	if all := s.set.Commands(); len(all) > 0 {
		return strings.Join(all, " or ")
	}
	return "ti build"
}

// describe says what the kernel of an instance depends on.
func (inst *instance) describe() string {
	var parts []string
	f := inst.checked.Kernel(inst.k.name)
	for _, field := range f.Fields {
		parts = append(parts, fmt.Sprintf("%s is %v of shape %d", field.Name, field.Elem, inst.layout[field.Name].Field.Shape()))
	}
	for _, c := range inst.consts {
		parts = append(parts, fmt.Sprintf("%s is %v", c.of.name, c.of.value))
	}
	if len(parts) == 0 {
		return "it uses neither fields nor constants of the host"
	}
	return strings.Join(parts, ", ")
}

// sourceKey tells the text of a program from others, whatever its files are called.
func (p *Program) sourceKey() ahead.Key {
	p.source.Do(func() {
		h := sha256.New()
		for _, f := range p.files {
			text := f.Text(f.Tree.FileStart, f.Tree.FileEnd)
			fmt.Fprintf(h, "%d\n", len(text))
			_, _ = io.WriteString(h, text) // a hash never fails
		}
		h.Sum(p.sourceHash[:0])
	})
	return p.sourceHash
}

// lateFields returns the fields whose extents the code of f reads at launch, each with the one
// whose extents it has: first as code may have it that was compiled ahead of time, and last
// as further sizes come.
func (p *Program) lateFields(f *typed.Func, lay driver.Layout, args []staticArg) (ways []map[string]string) {
	if s := p.rt.shipped; s != nil && p.cover == nil {
		all := s.set.Variants(p.sourceKey(), f.Name)
		slices.SortStableFunc(all, func(a, b []ahead.Free) int { return distinct(a) - distinct(b) })
		for _, free := range all {
			if late, ok := applicable(free, f, lay); ok {
				ways = append(ways, late)
			}
		}
	}
	usual := p.launched(f, lay, args)
	ways = slices.DeleteFunc(ways, func(w map[string]string) bool { return maps.Equal(w, usual) })
	return append(ways, usual)
}

// prepare lowers the kernel of an instance, with extents read at launch as they are in the code that was
// compiled ahead of time if there is some.
func (inst *instance) prepare() (*driver.Unit, error) {
	for _, v := range inst.other {
		u, err := inst.lowered(v)
		if err != nil || inst.k.p.rt.shipped.set.Has(u.AheadKey()) {
			return u, err
		}
	}
	return inst.lowered(variant{inst.checked, inst.late})
}

// lowered lowers a variant of an instance. Close gives up what follows.
func (inst *instance) lowered(v variant) (*driver.Unit, error) {
	o := inst.options(v.late)
	o.Stop = inst.k.p.rt.stop
	return driver.Prepare(&v.checked.Program, inst.k.name, inst.layout, o)
}

// distinct is the number of different extents.
func distinct(free []ahead.Free) (n int) {
	for _, f := range free {
		if f.Field == f.Like {
			n++
		}
	}
	return n
}

// applicable returns a variant as fields by name, if the fields of f fit it.
func applicable(free []ahead.Free, f *typed.Func, lay driver.Layout) (late map[string]string, ok bool) {
	of := map[string]*typed.Field{}
	for _, field := range f.Fields {
		of[field.Name] = field
	}
	for _, v := range free {
		field, like := of[v.Field], of[v.Like]
		if field == nil || like == nil || !canBeOpen(lay, field) || !slices.Equal(field.Shape, like.Shape) || !slices.Equal(field.Origin, like.Origin) {
			return nil, false
		}
		if late == nil {
			late = map[string]string{}
		}
		late[v.Field] = v.Like
	}
	return late, true
}

// freeOf is the inverse of applicable, in the order of names.
func freeOf(late map[string]string) (free []ahead.Free) {
	for _, field := range slices.Sorted(maps.Keys(late)) {
		free = append(free, ahead.Free{Field: field, Like: late[field]})
	}
	return free
}

// An AheadTarget is a level, what compiles for it, and the file that gets the code.
type AheadTarget struct {
	Compiler target.Compiler
	*ahead.Builder
}

// Ahead compiles the kernels of p for other machines. The extents of the fields that group names
// are read at launch; those of one group are equal, whatever the host gives. Names of kernels
// that have compile-time parameters are returned: what they are launched with is not known.
func (p *Program) Ahead(to []AheadTarget, group func(field string) string) (left []string, err error) {
	errs := make([]error, len(p.kernels))
	var wg sync.WaitGroup
	for i, k := range p.kernels {
		if k.template != nil {
			left = append(left, k.name)
			continue
		}
		wg.Go(func() { errs[i] = k.ahead(to, group) })
	}
	wg.Wait()
	return left, errors.Join(errs...)
}

// ahead compiles a kernel twice if that may matter: fields of equal extents make faster code,
// and those that the host gives may differ.
func (k *Kernel) ahead(to []AheadTarget, group func(field string) string) error {
	inst, err := k.instance()
	if err != nil {
		return err
	}
	same, apart := map[string]string{}, map[string]string{}
	var open []*typed.Field
	for _, field := range inst.checked.Kernel(k.name).Fields {
		of := group(field.Name)
		if of == "" {
			continue
		}
		if !canBeOpen(inst.layout, field) {
			return Errorf(ErrLayout, "the size of %s is part of the code of %s: only the sizes of an outermost dense node can stay free; give it as a number", field.Name, k.name)
		}
		open = append(open, field)
		same[field.Name] = open[slices.IndexFunc(open, func(g *typed.Field) bool {
			return slices.Equal(g.Shape, field.Shape) && slices.Equal(g.Origin, field.Origin)
		})].Name
		apart[field.Name] = open[slices.IndexFunc(open, func(g *typed.Field) bool { return group(g.Name) == of })].Name
	}
	variants := []map[string]string{same}
	if !maps.Equal(same, apart) {
		variants = append(variants, apart)
	}
	for _, late := range variants {
		if err := k.aheadWith(inst, late, to); err != nil {
			return err
		}
	}
	return nil
}

// aheadWith compiles a kernel for all levels, with the extents of late read at launch.
func (k *Kernel) aheadWith(inst *instance, late map[string]string, to []AheadTarget) error {
	p := k.p
	variant := &instance{k: k, checked: inst.checked, consts: inst.consts, fields: inst.fields, layout: inst.layout}
	if len(late) > 0 {
		p.mu.Lock()
		s := p.symbolic()
		p.mu.Unlock()
		if s == nil {
			return Errorf(ErrLayout, "the source needs sizes of fields while it is compiled, such as for a static loop: give them as numbers")
		}
		variant.checked, variant.late = s, late
	}
	u, err := driver.Prepare(&variant.checked.Program, k.name, variant.layout, variant.driver())
	if err != nil {
		return fmt.Errorf("ti: %w", err)
	}
	return variant.addAhead(u, to)
}

// addAhead compiles u for all levels whose files do not have it.
func (inst *instance) addAhead(u *driver.Unit, to []AheadTarget) error {
	what := ahead.Kernel{Key: u.AheadKey(), Source: inst.k.p.sourceKey(), Name: inst.k.name, Free: freeOf(u.Late())}
	for _, t := range to {
		if t.Has(what.Key) {
			continue
		}
		c, err := u.For(t.Compiler).Compile()
		if err != nil {
			return fmt.Errorf("ti: %w", err)
		}
		t.Add(what, c.Launch, c.Pieces)
	}
	return nil
}
