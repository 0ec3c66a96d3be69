package targets

import (
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/apart"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// Of returns the targets for a runtime; for nil, those of a program without one, whose compilers know no cache.
func Of(env *front.Env) (*target.Registry, error) {
	compiler := func() (target.Compiler, error) { return compilerFor(env) }
	processors := target.Target{Name: config.LLVM.String(), Compiler: compiler, Text: textCompiler(), Machine: same, Report: report, Levels: processorLevels}
	all := append(inOrder(processors, embedded()), target.Target{Name: config.Apart.String(), Compiler: compiler, Text: textCompiler(), Machine: memoryApart, Levels: processorLevels, Tests: true})
	return target.NewRegistry(append(all, devices(env)...)...)
}

// same is the machine of a target that is the processors themselves.
func same(processors launch.Machine, _ int) (launch.Machine, error) { return processors, nil }

func memoryApart(processors launch.Machine, _ int) (launch.Machine, error) {
	return apart.New(processors), nil
}

// ForLevel makes code ahead of time, for other machines too: machine code by this machine's libLLVM, modules without it.
func ForLevel(l ahead.Level) (target.Compiler, error) {
	if l == ahead.Wasm {
		return moduleCompiler()
	}
	return machineCompiler(l)
}

// processorLevels names the levels that this machine's processors run.
func processorLevels() (names []string) {
	for _, l := range ahead.Here() {
		names = append(names, l.String())
	}
	return names
}
