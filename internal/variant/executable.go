package variant

import (
	"context"

	"github.com/gotaichi/ti/internal/launch"
)

// An executable is a kernel that is ready. Its methods need the launch lock.
type executable interface {
	// slots are where a launch finds its arguments and leaves its results.
	slots() (args, results []uint64)
	// Run makes the next launch of the program, RunAs one with the number of another, or with 0 one that is none of
	// the program.
	Run(ctx context.Context) error
	RunAs(ctx context.Context, number uint64) error
	free()
	// tasks is how many tasks a launch runs, and prints whether it prints.
	tasks() int
	prints() bool
	// descriptor is what the machine knows of the kernel; nil where it is interpreted.
	descriptor() *launch.Kernel
	// launcher is what the machine launches; nil where the kernel is interpreted.
	launcher() launch.Launcher
}
