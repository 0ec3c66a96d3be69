package ti

import (
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/target"
)

// hostTarget is the name of the target that is this machine's processors, with code by
// libLLVM.
const hostTarget = "llvm"

// targets are those that programs get by importing this package.
func targets() (*target.Registry, error) {
	return target.NewRegistry(target.Target{Name: hostTarget, Compiler: llvmCompiler, Machine: same})
}

// llvmCompiler makes code by this machine's libLLVM.
func llvmCompiler() (target.Compiler, error) {
	lib, err := llvm.Default()
	if err != nil {
		return nil, err
	}
	return codegen.New(lib), nil
}

// same is the machine of a target that is the processors themselves.
func same(processors launch.Machine) (launch.Machine, error) { return processors, nil }
