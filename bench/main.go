package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// options are the flags of the command.
type options struct {
	run     string
	json    string
	beside  string
	peers   string
	threads int
	startup bool
	child   string
}

func main() {
	var o options
	flag.StringVar(&o.run, "run", "", "run only the cases whose name matches this regular `expression`")
	flag.StringVar(&o.json, "json", "", "write the results to this `file`")
	flag.StringVar(&o.beside, "beside", "", "run these `peers` too: taichi,quadrants,numba,warp,limits,handc")
	flag.StringVar(&o.peers, "peers", "bench/peers", "`folder` that holds the programs of the peers")
	flag.IntVar(&o.threads, "threads", 0, "threads for a parallel loop; 0 means one for each processor")
	flag.BoolVar(&o.startup, "startup", false, "measure what comes before a kernel runs, instead of the cases")
	flag.StringVar(&o.child, "startup-child", "", "the part of -startup that runs in a process of its own")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, &o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command does what the flags say.
func command(ctx context.Context, o *options, w io.Writer) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see bench -help for the flags", flag.Arg(0))
	}
	switch {
	case o.child != "":
		return startupChild(o.child, o.threads, w)
	case o.startup:
		return startup(ctx, o, w)
	}
	return compare(ctx, o, w)
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

// compare runs the cases that the flags select, ours and the peers' in turn.
func compare(ctx context.Context, o *options, w io.Writer) error {
	programs, err := suite.FindPrograms(ctx, o.peers, o.beside, known)
	if err != nil {
		return err
	}
	rows, err := suite.Compare(ctx, suite.Options{Run: o.run, Threads: o.threads}, benchmarks, suite.AsPeers(programs), w)
	if o.json != "" && len(rows) > 0 {
		err = errors.Join(err, suite.WriteJSON(o.json, rows))
	}
	return err
}
