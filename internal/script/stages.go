package script

import (
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/targets"
)

// Stages lists the stages of compilation of which [ti.Kernel.Dump] writes a kernel for a target, in their order.
func Stages(arch ti.Arch) ([]string, error) {
	all, err := targets.Of(nil)
	if err != nil {
		return nil, err
	}
	t := all.Default() // the oracle shows its text, too
	if arch != ti.Oracle {
		if t, err = all.Find(arch.String()); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(driver.Stages(t.Text), func(s string) bool { return s == "object" }), nil // which is no text
}
