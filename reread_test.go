package ti

import (
	"fmt"
	"reflect"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/target"
)

// reread is the machine of a second target: it has what a kernel is from descriptors and
// pieces in their binary form, as a program has that comes with its code.
type reread struct{ launch.Machine }

func (m reread) Load(k *launch.Kernel, pieces []*loader.Piece) (launch.Loaded, error) {
	k, err := launch.Read(k.Append(nil))
	if err != nil {
		return nil, fmt.Errorf("the descriptor: %w", err)
	}
	if pieces, err = loader.ReadPieces(loader.AppendPieces(nil, pieces)); err != nil {
		return nil, fmt.Errorf("the pieces: %w", err)
	}
	return m.Machine.Load(k, pieces)
}

// NewReread is New for a target whose machine is a [reread].
func NewReread(cfg Config) (*Runtime, error) {
	rt, err := session.New(cfg.session(), session.API{
		Targets: func(env *front.Env) (*target.Registry, error) {
			compiler := func() (target.Compiler, error) { return compilerFor(env) }
			return target.NewRegistry(
				target.Target{Name: config.LLVM.String(), Compiler: compiler, Machine: func(m launch.Machine) (launch.Machine, error) { return reread{m}, nil }},
			)
		},
		Text: codegen.New(nil), Half: reflect.TypeFor[Float16](),
	})
	return (*Runtime)(rt), err
}
