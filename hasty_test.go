package ti

import (
	"reflect"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/target"
)

// hasty is the compiler of a target whose code LLVM leaves as it is written, which takes a fraction of the time. Unlike
// with TI_OPT=0, all passes before LLVM run.
type hasty struct{ target.Compiler }

func (c hasty) Identity(o target.Options) (string, error) {
	o.Level = 0
	return c.Compiler.Identity(o)
}

func (c hasty) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	o.Level = 0
	return c.Compiler.Translate(k, o)
}

// NewHasty is New for a target whose compiler is [hasty]. Arch may be Oracle, too.
func NewHasty(cfg Config) (*Runtime, error) {
	rt, err := session.New(cfg.session(), session.API{
		Targets: func(env *front.Env) (*target.Registry, error) {
			return target.NewRegistry(target.Target{Name: config.LLVM.String(), Machine: func(m launch.Machine) (launch.Machine, error) { return m, nil }, Compiler: func() (target.Compiler, error) {
				c, err := compilerFor(env)
				return hasty{c}, err
			}})
		},
		Text: codegen.New(nil), Half: reflect.TypeFor[Float16](),
	})
	return (*Runtime)(rt), err
}
