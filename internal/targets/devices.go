//go:build !ti_ahead && !js

package targets

import (
	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/vulkan"
)

// devices are the targets beside the processors.
func devices() []target.Target {
	compiler := func() (target.Compiler, error) { return spirv.Compiler{}, nil }
	return []target.Target{{
		Name: config.Vulkan.String(), Compiler: compiler, Text: spirv.Compiler{}, Machine: vulkan.New, Devices: vulkan.Devices, Report: vulkan.Report,
	}}
}
