package dist

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/domain"
	"github.com/gotaichi/ti/internal/mpi"
)

// What went wrong, for errors.Is.
var (
	ErrMPI      = mpi.ErrLibrary
	ErrRank     = mpi.ErrRank
	ErrDiverged = domain.ErrDiverged
	ErrReach    = domain.ErrReach
	ErrSplit    = domain.ErrSplit
)

// A RankError is the failure of one rank as the others see it.
type RankError struct {
	Rank int
	Host string
	Err  error // on other ranks the text alone
}

// Error returns rank, host and the failure.
func (e *RankError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("rank %d: %v", e.Rank, e.Err)
	}
	return fmt.Sprintf("rank %d on %s: %v", e.Rank, e.Host, e.Err)
}

// Unwrap returns [ErrRank] and e.Err.
func (e *RankError) Unwrap() []error { return []error{ErrRank, e.Err} }

// diverged makes an error of collectives that do not fit one of this package.
func diverged(err error) error {
	if errors.Is(err, mpi.ErrDiverged) {
		return fmt.Errorf("%w: %w", ErrDiverged, err)
	}
	return err
}
