package variant

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/target"
)

// NewExecutor returns the executor for an architecture, and the one that it stands for.
// Compiled code is for the target of its name. CPU is the first one or, where that cannot make code, the one that stands in.
func NewExecutor(rt *Maker, arch config.Arch, of *target.Registry) (executor, config.Arch, error) {
	rt.Text = of.Default().Text
	device := rt.Opt.Device
	if arch == config.Oracle {
		if err := onlyDevice(arch, device); err != nil {
			return nil, arch, err
		}
		e, err := newInterpreting(rt)
		return e, config.Oracle, err
	}
	t, c, err := targetOf(rt, arch, of)
	if err != nil {
		return nil, arch, err
	}
	if arch == config.CPU {
		if err := arch.UnmarshalText([]byte(t.Name)); err != nil {
			return nil, arch, err
		}
	}
	m, err := t.Machine(rt.Machine, device)
	if err != nil {
		return nil, arch, diag.Errorf(diag.ErrArch, "%w", err)
	}
	rt.Machine, rt.Text = m, t.Text
	if some, is := m.(interface{ Threads() int }); is {
		rt.Opt.Threads = min(rt.Opt.Threads, some.Threads()) // modules run on fewer than there may be
	}
	return &compiling{rt: rt, arch: arch, maker: c}, arch, nil
}

// targetOf returns the target for an architecture, with its compiler.
func targetOf(rt *Maker, arch config.Arch, of *target.Registry) (t target.Target, c target.Compiler, err error) {
	if t = of.Default(); arch != config.CPU {
		if t, err = of.Find(arch.String()); err != nil {
			return t, nil, diag.Errorf(diag.ErrArch, "%w", err)
		}
	}
	if t.Devices == nil {
		named := arch
		if err := named.UnmarshalText([]byte(t.Name)); err != nil {
			return t, nil, err
		}
		if err := onlyDevice(named, rt.Opt.Device); err != nil {
			return t, nil, err
		}
	}
	if arch == config.CPU {
		return processors(rt, of)
	}
	if c, err = compilerOf(rt, t); err != nil {
		return t, nil, diag.Errorf(diag.ErrArch, "%w", err)
	}
	return t, c, nil
}

// processors returns the default target or, if that makes no code here, the one that stands in, and says so. It is decided now: the memory of fields
// follows from it.
func processors(rt *Maker, of *target.Registry) (target.Target, target.Compiler, error) {
	t := of.Default()
	c, err := compilerOf(rt, t)
	if err == nil {
		if err = target.Ready(c); err == nil {
			return t, c, nil
		}
	}
	other, ok := of.StandIn()
	if _, absent := errors.AsType[*target.Absent](err); !ok || !absent {
		return t, nil, diag.Errorf(diag.ErrArch, "%w", err)
	}
	made, failed := compilerOf(rt, other)
	if _, absent := errors.AsType[*target.Absent](failed); absent { // for the same reason
		return t, nil, diag.Errorf(diag.ErrArch, "%w", err)
	}
	if failed != nil {
		return t, nil, diag.Errorf(diag.ErrArch, "%w", errors.Join(err, failed))
	}
	why, _, _ := strings.Cut(err.Error(), "\n")
	if u, is := errors.AsType[*unfitError](err); is {
		why = u.why + u.remedy
	}
	fmt.Fprintf(os.Stderr, "ti: kernels run as %s: %s; Config.Arch %s, or TI_ARCH=%s, chooses this without a word\n", other.Slower, why, other.Name, other.Name)
	return other, made, nil
}

// onlyDevice fails for a device other than the first, of an architecture that has no more.
func onlyDevice(arch config.Arch, device int) error {
	if device == 0 {
		return nil
	}
	return diag.Errorf(diag.ErrArch, "Config.Device is %d; the architecture %v has one device, number 0", device, arch)
}

// compilerOf makes the compiling half of a target, or in a program with code that was compiled
// ahead of time, what makes it when it is needed.
func compilerOf(rt *Maker, t target.Target) (target.Compiler, error) {
	if len(rt.Opt.Code) == 0 || t.Levels == nil {
		return t.Compiler()
	}
	var levels []ahead.Level
	for _, name := range t.Levels() {
		l, err := ahead.ParseLevel(name)
		if err != nil {
			return nil, err
		}
		levels = append(levels, l)
	}
	set, err := ahead.NewSet(rt.Opt.Code, levels)
	switch {
	case errors.Is(err, ahead.ErrVersion):
		return nil, fmt.Errorf("code that was compiled ahead of time is of no use here: %w; run again what made it, ti build or go generate", err)
	case err != nil:
		return nil, fmt.Errorf("code that was compiled ahead of time: %w", err)
	}
	shipped := front.NewShipped(set, t.Compiler)
	if why := set.Unfit(); why != "" {
		if _, err := shipped.Made(); err != nil {
			u := &unfitError{why: why, modules: set.For(ahead.Wasm), err: err}
			if len(levels) > 0 {
				u.remedy = fmt.Sprintf("; compile it for this machine too, as in %s -cpu %v", shipped.Commands(), levels[0])
			}
			return nil, u
		}
	}
	rt.Shipped = shipped
	return shipped, nil
}

// An unfitError is the error of code ahead of time of which nothing runs here, in a program that cannot make any.
type unfitError struct {
	why, remedy string
	modules     bool  // there is code for any machine
	err         error // why it cannot make any
}

func (e *unfitError) Error() string {
	remedy := e.remedy
	switch {
	case e.modules:
		remedy = "; build the program with the tag ti_wasm, and it runs the modules"
	case remedy == "":
		remedy = fmt.Sprintf("; compile it for any machine too (-cpu %v)", ahead.Wasm)
	}
	return fmt.Sprintf("code that was compiled ahead of time does not run here: %s%s, or let the program compile it: %v", e.why, remedy, e.err)
}

func (e *unfitError) Unwrap() error { return e.err }
