package front

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/target"
)

// A Shipped is the compiling half of a target in a program that has kernels compiled ahead of
// time. It makes the compiler of the target when a kernel is wanted that is not among them.
type Shipped struct {
	Set  *ahead.Set
	Made func() (target.Compiler, error)

	mu   sync.Mutex
	real target.Compiler // nil as long as it was not needed
}

// NewShipped makes it of files of code. make makes the compiler of the target.
func NewShipped(set *ahead.Set, make func() (target.Compiler, error)) *Shipped {
	s := &Shipped{Set: set}
	s.Made = sync.OnceValues(func() (target.Compiler, error) {
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
func (s *Shipped) compiler() target.Compiler {
	if c, err := s.Made(); err == nil {
		return c
	}
	return s.none()
}

// none is a compiler that makes no code.
func (s *Shipped) none() target.Compiler {
	return target.None{Of: target.Traits{Name: "ahead", Processor: s.Set.Level()}}
}

// Traits are those of the code that there is, until something else has been compiled.
func (s *Shipped) Traits() target.Traits {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.real != nil {
		return s.real.Traits()
	}
	return s.none().Traits()
}

// Stages are the compiler's, as everything below.
func (s *Shipped) Stages() []string { return s.compiler().Stages() }

func (s *Shipped) Identity(o target.Options) (string, error) { return s.compiler().Identity(o) }

func (s *Shipped) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	return s.compiler().Translate(k, o)
}

// Missing is the error for a kernel that is not among those compiled ahead of time; with says what it
// depends on, and why what is in the way of compiling it now.
func (s *Shipped) Missing(p *Source, kernel, with string, why error) error {
	what := "kernel " + kernel + " is not among those compiled ahead of time"
	if len(s.Set.Variants(p.TextKey, kernel)) > 0 {
		what = "kernel " + kernel + " was compiled ahead of time for other element types, layouts, sizes, constants or options than it is launched with (" + with + ")"
	}
	return s.lacking(what, why)
}

// Unknown is missing for a source that is to be loaded, with what is bound to its declarations; pkg is nil where these
// are not known.
func (s *Shipped) Unknown(pkg *outline.Package, bound *bind.Bound, why error) error {
	if pkg == nil {
		return s.lacking("this source is not among those compiled ahead of time, or it was changed since", why)
	}
	var with []string
	for _, f := range bound.Fields {
		if f.Core.Elem() != nil {
			with = append(with, fmt.Sprintf("%s is %v of shape %d", f.Path, hostabi.TypeOf(f.Core.Elem()), f.Core.Shape()))
		}
	}
	for _, c := range bound.Consts {
		with = append(with, fmt.Sprintf("%s is %v", c.Name, c.Value))
	}
	return s.lacking("package "+pkg.Name+" was compiled ahead of time for other element types, layouts, sizes, constants or options than it is loaded with ("+strings.Join(with, ", ")+")", why)
}

func (s *Shipped) lacking(what string, why error) error {
	if unfit := s.Set.Unfit(); unfit != "" {
		what += ": " + unfit
	}
	if l, is := errors.AsType[diag.ErrorList](why); is && len(l) > 0 && l[0].Cause != nil { // that there is no compiler
		why = l[0].Cause
	}
	return fmt.Errorf("%w: %s; compile it ahead as well, by %s, or let the program compile it: %w", diag.ErrArch, what, s.Commands(), why)
}

// Commands are those to run again, with other flags perhaps.
func (s *Shipped) Commands() string {
	if all := s.Set.Commands(); len(all) > 0 {
		return strings.Join(all, " or ")
	}
	return "ti build"
}
