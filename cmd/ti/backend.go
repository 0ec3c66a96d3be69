package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/setup"
)

// backend makes sure of libLLVM, and says which one is used. Where there is none, and none can be had, programs that the command starts run their kernels as
// WebAssembly: the result is what their environment has for that. It is an error if the environment names a library, or a processor, that cannot be used.
func backend(io *stdio) (env []string, err error) {
	lib, err := setup.LLVM(context.Background(), io.err)
	switch {
	case err == nil:
		fmt.Fprintf(io.err, "using libLLVM %s\n", lib.Version())
		return nil, nil
	case llvm.Chosen() != llvm.Choice{}:
		return nil, err
	}
	fmt.Fprintf(io.err, "kernels run as WebAssembly, several times slower: %v\n", err)
	return on(config.Wasm), nil
}

// on is the environment of tests that run on a target whatever they ask for, unless they ask for the oracle.
func on(arch config.Arch, more ...string) []string {
	return append([]string{"TI_ARCH=" + arch.String(), "TI_INSTEAD=" + arch.String()}, more...)
}

// withBackend is the environment of this process with that of the back end.
func withBackend(env []string) []string { return slices.Concat(os.Environ(), env) }
