package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
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

// missing is the error for a kernel that is not among those compiled ahead of time; with says what it
// depends on, and why what is in the way of compiling it now.
func (s *shipped) missing(p *Program, kernel, with string, why error) error {
	what := "kernel " + kernel + " is not among those compiled ahead of time"
	if len(s.set.Variants(p.textKey, kernel)) > 0 {
		what = "kernel " + kernel + " was compiled ahead of time for other element types, layouts, sizes, constants or options than it is launched with (" + with + ")"
	}
	return s.lacking(what, why)
}

// unknown is missing for a source that is to be loaded.
func (s *shipped) unknown(p *Program, why error) error {
	if p.pkg == nil {
		return s.lacking("this source is not among those compiled ahead of time, or it was changed since", why)
	}
	var with []string
	for _, f := range p.bound.Fields {
		if f.Core.Elem() != nil {
			with = append(with, fmt.Sprintf("%s is %v of shape %d", f.Path, hostabi.TypeOf(f.Core.Elem()), f.Core.Shape()))
		}
	}
	for _, c := range p.bound.Consts {
		with = append(with, fmt.Sprintf("%s is %v", c.Name, c.Value))
	}
	return s.lacking("package "+p.pkg.Name+" was compiled ahead of time for other element types, layouts, sizes, constants or options than it is loaded with ("+strings.Join(with, ", ")+")", why)
}

func (s *shipped) lacking(what string, why error) error {
	if unfit := s.set.Unfit(); unfit != "" {
		what += ": " + unfit
	}
	if l, is := errors.AsType[SourceErrors](why); is && len(l) > 0 && l[0].Cause != nil { // that there is no compiler
		why = l[0].Cause
	}
	return fmt.Errorf("%w: %s; compile it ahead as well, by %s, or let the program compile it: %w", diag.ErrArch, what, s.commands(), why)
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
		parts = append(parts, fmt.Sprintf("%s is %v of shape %d", field.Name, field.Elem, inst.scope.Layout[field.Name].Field.Shape()))
	}
	for _, c := range inst.consts {
		parts = append(parts, fmt.Sprintf("%s is %v", c.Of.Name, c.Of.Value))
	}
	if len(parts) == 0 {
		return "it uses neither fields nor constants of the host"
	}
	return strings.Join(parts, ", ")
}

// describeArgs says what a kernel with compile-time parameters is launched with.
func describeArgs(args []staticArg) string {
	var parts []string
	for i, a := range args {
		switch {
		case a.core != nil && a.core.Elem() != nil:
			parts = append(parts, fmt.Sprintf("argument %d is a field of %v of shape %d", i+1, hostabi.TypeOf(a.core.Elem()), a.core.Shape()))
		case a.core != nil:
			parts = append(parts, fmt.Sprintf("argument %d is a node of shape %d", i+1, a.core.Shape()))
		case a.memory != nil:
			parts = append(parts, fmt.Sprintf("argument %d is %v", i+1, a.memory))
		default:
			parts = append(parts, fmt.Sprintf("argument %d is %v", i+1, a.val))
		}
	}
	return strings.Join(parts, ", ")
}

// choose decides which extents the code of an instance reads at launch. args are those of a template, and symbolic
// checks it with the extents read at launch that can be. It needs p.mu.
func (inst *instance) choose(args []staticArg, symbolic func() *checking) {
	p, f := inst.k.p, inst.checked.Kernel(inst.k.name)
	inst.lower = inst.checked
	if s := p.rt.shipped; s != nil && p.cover == nil && inst.checked.shipped != nil {
		all := s.set.Variants(p.textKey, f.Name)
		slices.SortStableFunc(all, func(a, b []ahead.Free) int { return distinct(a) - distinct(b) })
		for _, free := range all {
			if late, ok := applicable(free, f, inst.scope.Layout); ok {
				inst.other = append(inst.other, late)
			}
		}
	}
	usual := p.launched(f, inst.scope.Layout, args)
	if len(usual) > 0 || p.rt.recording() {
		inst.open = symbolic()
	}
	if s := inst.open; s != nil && len(usual) > 0 {
		inst.late, inst.lower = readAtLaunch(usual, s.Kernel(f.Name)), s
	}
}

// readAtLaunch are those of the fields of late whose extents the kernel does not need as constants.
func readAtLaunch(late map[string]string, f *outline.Kernel) map[string]string {
	left := maps.Clone(late)
	for _, field := range f.Fixed {
		delete(left, field.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if _, is := left[left[name]]; !is {
			left[name] = name
		}
	}
	return left
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
func applicable(free []ahead.Free, f *outline.Kernel, lay job.Layout) (late map[string]string, ok bool) {
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
// are read at launch; those of one group are equal, whatever the host gives. Kernels that have compile-time parameters are
// left out: what they are launched with is not known.
func (p *Program) Ahead(to []AheadTarget, group func(field string) string) error {
	p.mu.Lock()
	symbolic := p.symbolic()
	p.mu.Unlock()
	p.addOutline(p.checked, symbolic, to)
	errs := make([]error, len(p.kernels))
	var wg sync.WaitGroup
	for i, k := range p.kernels {
		if k.template == nil {
			wg.Go(func() { errs[i] = k.ahead(to, group) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
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
		if !canBeOpen(inst.scope.Layout, field) {
			return diag.Errorf(diag.ErrLayout, "the size of %s is part of the code of %s: only the sizes of an outermost dense node can stay free; give it as a number", field.Name, k.name)
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
	variant := &instance{k: k, role: plain{}, checked: inst.checked, lower: inst.checked, consts: inst.consts, scope: inst.scope}
	p.mu.Lock()
	s := p.symbolic()
	p.mu.Unlock()
	variant.open = s
	if len(late) > 0 {
		if s == nil {
			return diag.Errorf(diag.ErrLayout, "the source needs sizes of fields while it is compiled, such as for a static loop: give them as numbers")
		}
		f := s.Kernel(k.name)
		for _, field := range f.Fixed {
			if _, free := late[field.Name]; free {
				return diag.Errorf(diag.ErrLayout, "%v: %s is compiled for one size of %s, as for the length of an array: give that size as a number", f.Pos, k.name, field.Name)
			}
		}
		variant.lower, variant.late = s, readAtLaunch(late, f)
	}
	r, err := variant.prepareAhead()
	if err != nil {
		return fmt.Errorf("ti: %w", err)
	}
	return variant.addAhead(r, to)
}

// addOutline adds the outline of a program, or of an instance, to all files, and returns its key there.
func (p *Program) addOutline(c, symbolic *checking, to []AheadTarget) outline.Key {
	k := p.shippable(c, symbolic)
	what := ahead.Outline{Key: ahead.Key(k.key), Source: p.textKey, Kernel: c.question.Kernel, Free: k.free}
	for _, t := range to {
		t.AddPackage(p.textKey, p.pkg.Append(nil))
		t.AddOutline(what, c.Append(nil))
	}
	return k.key
}

// addAhead compiles a kernel that was lowered for all levels whose files do not have it, and what launches without room for its sums
// take in its place.
func (inst *instance) addAhead(r *ready, to []AheadTarget) error {
	p := inst.k.p
	outlined := p.addOutline(inst.checked, inst.open, to)
	what := ahead.Kernel{Key: inst.aheadKey(r.late, outlined), Source: p.textKey, Name: inst.k.name, Free: freeOf(r.late)}
	var summed []AheadTarget
	for _, t := range to {
		if t.Has(what.Key) {
			continue
		}
		made, c, err := inst.compileFor(r, t.Compiler)
		if err != nil {
			return fmt.Errorf("ti: %w", err)
		}
		about := *made.answer
		about.Key, about.Code = target.Key(what.Key), target.Key{}
		t.Add(what, about.Append(nil), c.Launch, c.Pieces)
		if len(c.Launch.Sums) > 0 {
			summed = append(summed, t)
		}
	}
	if len(summed) == 0 {
		return nil
	}
	spare := inst.newSpare()
	if r, err := spare.prepareAhead(); err != nil {
		return fmt.Errorf("ti: %w", err)
	} else {
		return spare.addAhead(r, summed)
	}
}
