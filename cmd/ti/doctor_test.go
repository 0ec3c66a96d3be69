package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// TestReportTargets: it is no failure that the default target is absent, where another one stands in. It is one that what somebody has chosen cannot be used.
func TestReportTargets(t *testing.T) {
	broken := errors.New("it is broken")
	for name, c := range map[string]struct {
		reported error
		slower   string
		fails    bool
		standsIn bool
	}{
		"usable":          {nil, "slower code", false, false},
		"absent":          {&target.Absent{Why: broken}, "slower code", false, true},
		"chosen":          {broken, "slower code", true, false},
		"without another": {&target.Absent{Why: broken}, "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			made := target.Target{
				Compiler: func() (target.Compiler, error) { return target.None{}, nil }, Text: target.None{},
				Machine: func(m launch.Machine, _ int) (launch.Machine, error) { return m, nil },
			}
			first, second := made, made
			first.Name, first.Report = "first", func(target.Say) error { return c.reported }
			second.Name, second.Slower, second.Report = "second", c.slower, func(target.Say) error { return broken }
			all, err := target.NewRegistry(first, second)
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			err = reportTargets(all, func(heading, format string, args ...any) {
				fmt.Fprintf(&said, "%s: %s\n", heading, fmt.Sprintf(format, args...))
			})
			if (err != nil) != c.fails || strings.Contains(said.String(), "kernels: run as slower code\n") != c.standsIn {
				t.Errorf("error %v, and it says\n%s", err, said.String())
			}
		})
	}
}

// TestBackend: where the environment asks for WebAssembly, no libLLVM is looked for.
func TestBackend(t *testing.T) {
	t.Setenv("TI_ARCH", "Wasm")
	t.Setenv("TI_LIBLLVM", "/nonexistent/libLLVM.so")
	var said strings.Builder
	env, err := backend(&stdio{err: &said})
	if err != nil || !slices.Equal(env, []string{"TI_ARCH=wasm", "TI_INSTEAD=wasm"}) || said.String() != "kernels run as WebAssembly, as TI_ARCH says\n" {
		t.Errorf("the environment is %q, error %v, and it says %q", env, err, said.String())
	}
}
