package quantise_test

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

func TestGolden(t *testing.T) {
	passtest.Golden(t, func(k *ir.Kernel, o passtest.Options, stage string) error {
		return pass.RunStage(k, pass.Options{Options: o.Options, Layout: o.Layout, Target: o.Target}, stage)
	})
}
