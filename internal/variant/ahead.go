package variant

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

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

// Ahead compiles the kernels of p that have no compile-time parameters for other machines.
func (p *Program) Ahead(to []AheadTarget, group func(field string) string) error {
	p.mu.Lock()
	symbolic := p.symbolic()
	p.mu.Unlock()
	p.addOutline(p.Checked, symbolic, to)
	errs := make([]error, len(p.Kernels))
	var wg sync.WaitGroup
	for i, k := range p.Kernels {
		if k.Template == nil {
			wg.Go(func() { errs[i] = k.ahead(to, group) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

// ahead compiles a kernel twice if that may matter: fields of equal extents make faster code,
// and those that the host gives may differ.
func (k *Kernel) ahead(to []AheadTarget, group func(field string) string) error {
	v, err := k.Find()
	if err != nil {
		return err
	}
	same, apart := map[string]string{}, map[string]string{}
	var open []*typed.Field
	for _, field := range v.Checked.Kernel(k.Name).Fields {
		of := group(field.Name)
		if of == "" {
			continue
		}
		if !canBeOpen(v.Scope.Layout, field) {
			return diag.Errorf(diag.ErrLayout, "the size of %s is part of the code of %s: only the sizes of an outermost dense node can stay free; give it as a number", field.Name, k.Name)
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
		if err := k.aheadWith(v, late, to); err != nil {
			return err
		}
	}
	return nil
}

// aheadWith compiles a kernel for all levels, with the extents of late read at launch.
func (k *Kernel) aheadWith(v *Variant, late map[string]string, to []AheadTarget) error {
	p := k.Program
	variant := &Variant{Kernel: k, Role: plain{}, reading: reading{Checked: v.Checked, lower: v.Checked}, consts: v.consts, Scope: v.Scope}
	p.mu.Lock()
	s := p.symbolic()
	p.mu.Unlock()
	variant.open = s
	if len(late) > 0 {
		if s == nil {
			return diag.Errorf(diag.ErrLayout, "the source needs sizes of fields while it is compiled, such as for a static loop: give them as numbers")
		}
		f := s.Kernel(k.Name)
		for _, field := range f.Fixed {
			if _, free := late[field.Name]; free {
				return diag.Errorf(diag.ErrLayout, "%v: %s is compiled for one size of %s, as for the length of an array: give that size as a number", f.Pos, k.Name, field.Name)
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

// addOutline adds the outline of a program, or of a variant, to all files, and returns its key there.
func (p *Program) addOutline(c, symbolic *front.Checking, to []AheadTarget) outline.Key {
	k := p.Source.Shippable(c, symbolic)
	what := ahead.Outline{Key: ahead.Key(k.Key), Source: p.Source.TextKey, Kernel: c.Question.Kernel, Free: k.Free}
	for _, t := range to {
		t.AddPackage(p.Source.TextKey, p.pkg.Append(nil))
		t.AddOutline(what, c.Append(nil))
	}
	return k.Key
}

// addAhead compiles a lowered kernel for all levels whose files do not have it, and its fallback for launches without
// memory for its sums.
func (v *Variant) addAhead(r *ready, to []AheadTarget) error {
	p := v.Kernel.Program
	outlined := p.addOutline(v.Checked, v.open, to)
	what := ahead.Kernel{Key: v.aheadKey(r.late, outlined), Source: p.Source.TextKey, Name: v.Kernel.Name, Free: freeOf(r.late)}
	var summed []AheadTarget
	for _, t := range to {
		if t.Has(what.Key) {
			continue
		}
		made, c, err := v.compileFor(r, t.Compiler)
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
	fallback := v.newFallback()
	if r, err := fallback.prepareAhead(); err != nil {
		return fmt.Errorf("ti: %w", err)
	} else {
		return fallback.addAhead(r, summed)
	}
}
