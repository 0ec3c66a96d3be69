//go:build !ti_ahead && !js

package targets

import (
	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/codegen/wgsl"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/vulkan"
)

// devices are the targets beside the processors.
func devices(env *front.Env) []target.Target {
	text := wgsl.Text{Compiler: spirv.Compiler{}}
	compiler := func() (target.Compiler, error) { return text, nil }
	machine := func(processors launch.Machine, device int) (launch.Machine, error) {
		return vulkan.New(processors, device, kept(env))
	}
	return []target.Target{{
		Name: config.Vulkan.String(), Compiler: compiler, Text: text, Machine: machine, Devices: vulkan.Devices, Report: vulkan.Report,
	}}
}

// kept is where the machines of a runtime keep what they learn from drivers: its cache on disk; nil if it has none.
func kept(env *front.Env) vulkan.Store {
	if env == nil {
		return nil
	}
	if c := env.Cache(); c != nil {
		return c
	}
	return nil
}
