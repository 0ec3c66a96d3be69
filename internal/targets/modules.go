//go:build !ti_ahead && !ti_nowasm

package targets

import (
	codegen "github.com/gotaichi/ti/internal/codegen/wasm"
	"github.com/gotaichi/ti/internal/target"
)

// moduleCompiler makes WebAssembly. It needs no library.
func moduleCompiler() (target.Compiler, error) { return codegen.Compiler{}, nil }

func moduleText() target.Compiler { return codegen.Compiler{} }
