package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/klauspost/cpuid/v2"

	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/targets"
)

type doctorCmd struct{}

// Run prints what was found, and fails if something needed is missing.
func (c *doctorCmd) Run(io *stdio) error {
	say := func(what, format string, args ...any) {
		fmt.Fprintf(io.out, "%-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	say("ti", "%s, %s/%s, %s", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	name := cpuid.CPU.BrandName
	if name == "" {
		name = runtime.GOARCH
	}
	say("processor", "%s", name)
	say("vectors", "%s", vectors())
	say("threads", "%d processors may be used", runtime.GOMAXPROCS(0))
	all, err := targets.Of(nil)
	if err != nil {
		return err
	}
	return reportTargets(all, say)
}

// reportTargets says what each target needs and what this machine has of it. It fails if the default one cannot be used, and no other stands in for it.
func reportTargets(all *target.Registry, say target.Say) error {
	var failed error
	for i, t := range all.Offered() {
		say("target", "%s", t.Name)
		if t.Report == nil {
			continue
		}
		err := t.Report(say)
		if err == nil || i > 0 {
			continue
		}
		other, ok := all.StandIn()
		if _, absent := errors.AsType[*target.Absent](err); ok && absent {
			say("kernels", "run as %s", other.Slower)
			continue
		}
		failed = errReported
	}
	return failed
}

// vectors names the widest vector instructions of the processor.
func vectors() string {
	for _, v := range []struct {
		id   cpuid.FeatureID
		name string
	}{{cpuid.AVX512F, "AVX-512, 512 bits"}, {cpuid.AVX2, "AVX2, 256 bits"}, {cpuid.AVX, "AVX, 256 bits"},
		{cpuid.SSE2, "SSE2, 128 bits"}, {cpuid.SVE, "SVE"}, {cpuid.ASIMD, "NEON, 128 bits"}} {
		if cpuid.CPU.Has(v.id) {
			return v.name
		}
	}
	return "none known"
}

type versionCmd struct{}

// Run prints the version.
func (c *versionCmd) Run(io *stdio) error {
	fmt.Fprintf(io.out, "ti %s %s/%s\n", version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// version is the module's, with the commit where it was built from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
