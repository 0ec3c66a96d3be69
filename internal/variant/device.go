package variant

import (
	"cmp"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/threadblock"
)

// A Device is something that kernels can run on.
type Device struct {
	Arch    config.Arch // never [CPU]: the back end itself
	Index   int         // for Config.Device
	Name    string      // as the maker calls it
	Target  string      // what code is generated for, such as "znver5"
	Memory  int64       // bytes
	Threads int         // processors

	Blocks threadblock.Limits // of a GPU
}

// DevicesOf lists what kernels for a target can run on: nothing where something that it needs is missing.
func DevicesOf(t *target.Target) (all []Device) {
	var arch config.Arch
	c, err := t.Compiler()
	if err != nil || arch.UnmarshalText([]byte(t.Name)) != nil {
		return nil
	}
	if t.Devices == nil {
		return []Device{compiledDevice(arch, c)}
	}
	devices, err := t.Devices()
	if err != nil {
		return nil
	}
	for _, d := range devices {
		all = append(all, machineDevice(arch, &d))
	}
	return all
}

// compiledDevice describes the processors, for which c compiles.
func compiledDevice(arch config.Arch, c target.Compiler) Device {
	return Device{Arch: arch, Name: processor(), Target: cmp.Or(c.Traits().Processor, c.Traits().Name), Memory: memory.PhysicalMemory(), Threads: runtime.GOMAXPROCS(0)}
}

// machineDevice describes a device that is not this machine's processors.
func machineDevice(arch config.Arch, d *launch.Device) Device {
	return Device{Arch: arch, Index: d.Index, Name: d.Name, Target: d.Target, Memory: d.Memory, Threads: d.Threads, Blocks: d.Blocks}
}

// OracleDevice describes the reference interpreter.
func OracleDevice() Device {
	return Device{Arch: config.Oracle, Name: "reference interpreter", Target: runtime.GOARCH, Memory: memory.PhysicalMemory(), Threads: 1}
}

func processor() string {
	if n := cpuid.CPU.BrandName; n != "" {
		return n
	}
	return runtime.GOARCH
}
