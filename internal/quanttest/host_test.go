package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

// newRuntime returns a runtime for a test.
func newRuntime(tb testing.TB, cfg ti.Config) *ti.Runtime {
	tb.Helper()
	rt, err := ti.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = rt.Close() })
	return rt
}
