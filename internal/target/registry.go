package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/launch"
)

// A Target is a kind of machine, as its two halves.
type Target struct {
	Name string // as [config.Arch] has it

	// Compiler makes the compiling half. It fails where something that it needs is missing.
	Compiler func() (Compiler, error)

	// Machine makes the half that runs code, given the one of this machine's processors.
	// The machine takes the processors over: its Close closes them, too. The device is one of Devices, by its index; 0 where there is no such list.
	Machine func(processors launch.Machine, device int) (launch.Machine, error)

	// Text is a compiler that only writes code as text. It needs no library.
	Text Compiler

	// Report says what the target needs and what this machine has of it. It fails if the target cannot be used. May be nil.
	Report func(Say) error

	// Levels names those of code ahead of time that machines run here, the best first, as package ahead does. It is nil where there is no such code.
	Levels func() []string

	// Devices lists what machines can run on. It fails if there is nothing. It is nil for the processors, of which there is one kind.
	Devices func() ([]launch.Device, error)

	Tests bool // the target is for tests only: people are not offered it

	// Slower says what kernels of the default target run as here, if that cannot be used, as in "WebAssembly, several times slower". It is "" for a target that does not stand in.
	Slower string
}

// Say prints a fact under a heading.
type Say func(heading, format string, args ...any)

// A Registry is a list of targets by name.
type Registry struct{ targets []Target }

// NewRegistry returns a registry of targets, at least one. Each must have a name of its own and both
// halves, and can write text.
func NewRegistry(targets ...Target) (*Registry, error) {
	r := &Registry{}
	for _, t := range targets {
		if err := r.add(t); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Registry) add(t Target) error {
	switch _, err := r.Find(t.Name); {
	case t.Name == "" || t.Compiler == nil || t.Machine == nil || t.Text == nil:
		return fmt.Errorf("target %q lacks a name or a half", t.Name)
	case err == nil:
		return fmt.Errorf("there are two targets %q", t.Name)
	}
	r.targets = append(r.targets, t)
	return nil
}

// Offered lists the targets that people can choose, in their order.
func (r *Registry) Offered() []Target {
	return slices.DeleteFunc(slices.Clone(r.targets), func(t Target) bool { return t.Tests })
}

// Default is the target that was named first.
func (r *Registry) Default() Target { return r.targets[0] }

// StandIn is the target that stands in for the default one; ok is false if there is none.
func (r *Registry) StandIn() (t Target, ok bool) {
	for _, t := range r.targets {
		if t.Slower != "" {
			return t, true
		}
	}
	return Target{}, false
}

// Find returns the target with a name.
func (r *Registry) Find(name string) (Target, error) {
	var names []string
	for _, t := range r.targets {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Target{}, fmt.Errorf("there is no target %q; there are: %s", name, strings.Join(names, ", "))
}
