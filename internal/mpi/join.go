package mpi

import (
	"fmt"
	"os"
)

// Join joins the job that a launcher started this process for. Without a launcher, or if the launcher started this process alone, it is a
// job of one rank, and no library is opened unless cfg names one. Where a launcher started several processes, they become a job or Join
// fails with [ErrLibrary]: never one job for each.
func Join(cfg Config) (*Comm, error) {
	l := launcherOf(os.LookupEnv)
	if cfg.Library == None || cfg.Library == "" && (l == nil || l.size == 1) {
		return alone(cfg), nil
	}
	found, err := find(cfg.Library, l)
	if err != nil {
		return nil, err
	}
	lib, err := open(found)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLibrary, found.path, err)
	}
	if err := l.agrees(lib.rank, lib.size); err != nil {
		done := make(chan struct{})
		lib.finish(func(error) { close(done) })
		<-done
		return nil, fmt.Errorf("%w: %s (%s) %w", ErrLibrary, found.path, shortVersion(found.version), err)
	}
	return newComm(lib.rank, lib.size, cfg, lib), nil
}

// agrees checks that a library found the processes that the launcher says it started.
func (l *launcher) agrees(rank, size int) error {
	if l == nil || (l.size == 0 || l.size == size) && l.rank < size {
		return nil
	}
	started := fmt.Sprintf("this process as rank %d", l.rank)
	if l.size > 0 {
		started += fmt.Sprintf(" of %d", l.size)
	}
	remedy := "start the program by the mpiexec of that library, or name the launcher's library with TI_MPI=/path/to/libmpi.so"
	if l.name == "srun" {
		remedy = "start it by srun --mpi=pmix or --mpi=pmi2, as srun --mpi=list offers and the library supports"
	}
	return fmt.Errorf("finds %d, and %s started %s; %s", size, l.name, started, remedy)
}
