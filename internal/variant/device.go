package variant

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/threadblock"
)

// A Device is something that kernels can run on.
type Device struct {
	Arch    config.Arch // never [CPU]: the back end itself
	Name    string      // as the maker calls it
	Target  string      // what code is generated for, such as "znver5"
	Memory  int64       // bytes
	Threads int         // processors

	Blocks threadblock.Limits // of a GPU
}

// CompiledDevice describes the device of an architecture that c compiles for.
func CompiledDevice(arch config.Arch, c target.Compiler) Device {
	return Device{Arch: arch, Name: processor(), Target: c.Traits().Processor, Memory: memory.PhysicalMemory(), Threads: runtime.GOMAXPROCS(0)}
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
