//go:build ti_ahead || ti_nowasm

package targets

import (
	"errors"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// errNoWasm is why kernels do not run as WebAssembly.
var errNoWasm = errors.New("this program was built with the tag ti_ahead or ti_nowasm, and so without WebAssembly; build it without the tag")

// embedded says why it is not there.
func embedded() target.Target {
	return target.Target{
		Name: config.Wasm.String(), Text: target.None{Why: errNoWasm},
		Compiler: func() (target.Compiler, error) { return nil, errNoWasm },
		Machine:  func(launch.Machine, int) (launch.Machine, error) { return nil, errNoWasm },
	}
}

func inOrder(processors, embedded target.Target) []target.Target {
	return []target.Target{processors, embedded}
}
