package variant_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/variant"
)

// TestStandIn: another target stands in for a default one that nobody has chosen and that cannot be used, and a line says so. What somebody has chosen is an error.
func TestStandIn(t *testing.T) {
	broken := errors.New("it is broken")
	for name, c := range map[string]struct {
		compiler func() (target.Compiler, error)
		slower   string
		takes    string // "" for an error
	}{
		"usable": {func() (target.Compiler, error) {
			return target.Later(func() (target.Compiler, error) { return usable{}, nil }), nil
		}, "slower code", "llvm"},
		"absent": {func() (target.Compiler, error) { return nil, &target.Absent{Why: broken} }, "slower code", "wasm"},
		"absent, found late": {func() (target.Compiler, error) {
			return target.Later(func() (target.Compiler, error) { return nil, &target.Absent{Why: broken} }), nil
		}, "slower code", "wasm"},
		"chosen":          {func() (target.Compiler, error) { return nil, broken }, "slower code", ""},
		"without another": {func() (target.Compiler, error) { return nil, &target.Absent{Why: broken} }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			machine := func(m launch.Machine, _ int) (launch.Machine, error) { return m, nil }
			of, err := target.NewRegistry(
				target.Target{Name: "llvm", Compiler: c.compiler, Text: target.None{}, Machine: machine},
				target.Target{Name: "wasm", Compiler: func() (target.Compiler, error) { return usable{}, nil }, Text: target.None{}, Machine: machine, Slower: c.slower})
			if err != nil {
				t.Fatal(err)
			}
			said := onStderr(t, func() {
				_, arch, err := variant.NewExecutor(&variant.Maker{Env: front.Env{Opt: &config.Resolved{}}}, config.CPU, of)
				if (err == nil) != (c.takes != "") || err == nil && arch.String() != c.takes || err != nil && (!errors.Is(err, broken) || !errors.Is(err, diag.ErrArch)) {
					t.Errorf("the target is %v, error %v", arch, err)
				}
			})
			if told := strings.Contains(said, "ti: kernels run as slower code: it is broken; Config.Arch wasm"); told != (c.takes == "wasm") {
				t.Errorf("standard error has %q", said)
			}
		})
	}
}

// usable is a compiler that is there.
type usable struct{ target.Compiler }
