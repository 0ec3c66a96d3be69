//go:build !ti_nowasm && (!ti_ahead || ti_wasm || js)

package targets

import (
	"runtime"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/wasm"
)

// embedded is the target that is there in every program. It stands in for the processors where these have neither code nor libLLVM.
func embedded() target.Target {
	return target.Target{
		Name:     config.Wasm.String(),
		Compiler: moduleCompiler, Text: moduleText(), Machine: wasm.New, Report: reportWasm, Levels: func() []string { return []string{ahead.Wasm.String()} },
		Slower: "WebAssembly, several times slower than by libLLVM",
	}
}

// inOrder puts the target first that programs get by default: in a page there is no other one than WebAssembly.
func inOrder(processors, embedded target.Target) []target.Target {
	if runtime.GOOS == "js" {
		embedded.Slower = ""
		return []target.Target{embedded, processors}
	}
	return []target.Target{processors, embedded}
}

func reportWasm(say target.Say) error {
	say("runs", "kernels as WebAssembly in the program itself, where there is no libLLVM or %s asks for it", "TI_ARCH=wasm")
	return nil
}
