//go:build ti_ahead

package variant

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
)

// newInterpreting stands for the executor that runs kernels on the oracle.
func newInterpreting(*Maker) (executor, error) {
	return nil, diag.Errorf(diag.ErrArch, "the reference interpreter: %w", front.ErrNoCompiler)
}

// A Judge stands for what records launches on the oracle.
type Judge struct{}

// A TreeJudge stands for what compares launches on the oracle with those on typed trees.
type TreeJudge struct{}
