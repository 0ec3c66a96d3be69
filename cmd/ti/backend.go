package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/setup"
)

// backend makes sure of libLLVM, and says which one is used. Where there is none, and none can be had, programs that the command starts run their kernels as
// WebAssembly: the result is what their environment has for that. It is so too where the environment asks for it (TI_ARCH), and no libLLVM is looked for then.
// It is an error if the environment names a library, or a processor, that cannot be used.
func backend(io *stdio) (env []string, err error) {
	if strings.EqualFold(os.Getenv(envArch), config.Wasm.String()) {
		fmt.Fprintf(io.err, "kernels run as WebAssembly, as %s says\n", envArch)
		return on(config.Wasm), nil
	}
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

// envArch is the variable that names what kernels run on where a program leaves it open.
const envArch = "TI_ARCH"

// on is the environment of tests that run on a target whatever they ask for, unless they ask for the oracle.
func on(arch config.Arch, more ...string) []string {
	return append([]string{envArch + "=" + arch.String(), "TI_INSTEAD=" + arch.String()}, more...)
}

// withBackend is the environment of this process with that of the back end.
func withBackend(env []string) []string { return slices.Concat(os.Environ(), env) }
