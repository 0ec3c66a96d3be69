//go:build ti_ahead

package session

import (
	"fmt"

	"github.com/gotaichi/ti/internal/front"
)

// coverage stands for the counters of Config.Cover, which are put into kernels by their compiler.
type coverage struct{}

func (p *Program) startCoverage(string) error {
	if p.rt.maker.Opt.Cover == "" {
		return nil
	}
	return fmt.Errorf("ti: Config.Cover counts what is compiled with it: %w", front.ErrNoCompiler)
}

func (*Runtime) saveCoverage([]*Program) error { return nil }
