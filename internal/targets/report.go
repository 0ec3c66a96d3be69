//go:build !ti_ahead && !js

package targets

import (
	"strings"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/target"
)

// report says which libLLVM there are, and which one makes code for which processor. It fails if none can, by a [target.Absent] if nobody has
// chosen one.
func report(say target.Say) error {
	for _, c := range llvm.Find() {
		if c.Major > 0 && c.Major < llvm.MinMajor {
			say("found", "%s, too old: version %d or newer is needed", c.Path, llvm.MinMajor)
			continue
		}
		say("found", "%s", c.Path)
	}
	lib, err := llvm.Default()
	if err != nil {
		say("libLLVM", "%v", err)
		return absent(llvm.Chosen(), err)
	}
	say("libLLVM", "version %s will be used, for %s: %s", lib.Version(), lib.HostCPU(), lib.Path())
	say("tested", "%s", lib.Version().Standing())
	for _, v := range llvm.TestedVersions() {
		if v.Version != lib.Version() {
			say("tested", "version %s: %s", v.Version, strings.Join(v.Processors, ", "))
		}
	}
	if machine := lib.Machine(); machine != "" {
		say("code", "is made for %s, as %s says; this machine is a %s", lib.HostCPU(), llvm.EnvProcessor, machine)
	}
	return nil
}
