package main

import (
	"context"
	"flag"
	"io"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// options are the flags of the command.
type options struct {
	suite.Flags
	startup bool
	child   string
}

func main() {
	var o options
	o.Register(suite.Labels(known)...)
	flag.BoolVar(&o.startup, "startup", false, "measure what comes before a kernel runs, instead of the cases")
	flag.StringVar(&o.child, "startup-child", "", "the part of -startup that runs in a process of its own")
	suite.Main("bench", o.command)
}

// command does what the flags say.
func (o *options) command(ctx context.Context, w io.Writer) error {
	switch {
	case o.child != "":
		return startupChild(o.child, o.Threads, w)
	case o.startup:
		return startup(ctx, o, w)
	}
	_, err := o.Compare(ctx, known, benchmarks, w)
	return err
}

// known are the peers there are.
var known = []suite.Known{
	{Label: "taichi", Script: "taichi_bench.py", Args: []string{"--module", "taichi"}, FirstCost: true},
	{Label: "quadrants", Script: "taichi_bench.py", Args: []string{"--module", "quadrants"}, FirstCost: true},
	{Label: "numba", Script: "numba_bench.py"},
	{Label: "warp", Script: "warp_bench.py", OneCore: true},
	{Label: "limits"},
	{Label: "handc"},
}
