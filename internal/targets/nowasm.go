//go:build ti_nowasm || (ti_ahead && !ti_wasm && !js)

package targets

import (
	"errors"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// errNoWasm is why kernels do not run as WebAssembly.
var errNoWasm = errors.New("this program was built with the tag ti_nowasm, or with ti_ahead and without ti_wasm, and so without WebAssembly; build it with other tags")

// embedded says why it is not there.
func embedded() target.Target {
	return target.Target{
		Name: config.Wasm.String(), Text: target.None{Why: errNoWasm}, Compiler: moduleCompiler,
		Machine: func(launch.Machine, int) (launch.Machine, error) { return nil, errNoWasm },
	}
}

func inOrder(processors, embedded target.Target) []target.Target {
	return []target.Target{processors, embedded}
}

func moduleCompiler() (target.Compiler, error) { return nil, errNoWasm }
