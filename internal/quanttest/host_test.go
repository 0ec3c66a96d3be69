package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// newRuntime returns a runtime for a test.
func newRuntime(tb testing.TB, cfg ti.Config) *ti.Runtime {
	tb.Helper()
	if _, timed := tb.(*testing.B); cfg.Threads > 1 && !timed {
		defer runtest.Setenv("TI_SPREAD", "1")() // loops of tests are short, and one thread alone would run them
	}
	rt, err := ti.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = rt.Close() })
	return rt
}
