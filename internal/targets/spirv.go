//go:build !ti_ahead

package targets

import (
	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/target"
)

// spirvCompiler makes code for devices with a Vulkan driver. It needs no library.
func spirvCompiler() (target.Compiler, error) { return spirv.Compiler{}, nil }

func spirvText() target.Compiler { return spirv.Compiler{} }
