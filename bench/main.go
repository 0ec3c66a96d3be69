package main

import (
	"context"
	"errors"
	"flag"
	"io"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// options are the flags of the command.
type options struct {
	suite.Flags
	startup, scaling bool
	child            string
	from, docs       string
}

func main() {
	var o options
	o.Register(append(suite.Labels(known), "sync", "plain", "merged")...)
	flag.BoolVar(&o.startup, "startup", false, "measure what comes before a kernel runs, instead of the cases")
	flag.BoolVar(&o.scaling, "scaling", false, "measure how times fall with threads and rates with sizes, instead of the cases")
	flag.StringVar(&o.docs, "docs", "", "write the tables into benchmarks.md of this `folder`, and the plot beside it")
	flag.StringVar(&o.from, "from", "", "measure nothing: take the results that an earlier run wrote to this `file` by -json")
	flag.StringVar(&o.child, "startup-child", "", "the part of -startup that runs in a process of its own")
	suite.Main("bench", o.command)
}

// command does what the flags say.
func (o *options) command(ctx context.Context, w io.Writer) error {
	switch {
	case o.child != "":
		return startupChild(o.child, o.Threads, w)
	case o.docs != "" && o.Run != "":
		return errors.New("the tables in the documentation hold all cases: -docs does not go with -run")
	case o.from != "" && (o.docs == "" || o.startup || o.scaling):
		return errors.New("-from is for writing the table and the plot of earlier results: -docs says where")
	case o.startup && o.docs != "":
		return errors.New("-startup writes no documentation: give -docs without it")
	case o.startup:
		return startup(ctx, o, w)
	case o.scaling:
		return scaling(ctx, o, w)
	case o.from != "":
		rows, err := suite.ReadJSON(o.from)
		if err != nil {
			return err
		}
		return document(o.docs, rows)
	}
	rows, err := o.compare(ctx, w)
	if o.docs != "" && err == nil {
		err = document(o.docs, rows)
	}
	return err
}

// known are the peers there are.
var known = []suite.Known{
	{Label: "taichi", Script: "taichi_bench.py", Args: []string{"--module", "taichi"}, FirstCost: true},
	{Label: "quadrants", Script: "taichi_bench.py", Args: []string{"--module", "quadrants"}, FirstCost: true},
	{Label: "numba", Script: "numba_bench.py"},
	{Label: "warp", Script: "warp_bench.py", OneCore: true},
	{Label: "jax", Script: "jax_bench.py"},
	{Label: "mojo"},
	{Label: "mojo-plain", Args: []string{"--plain"}},
	{Label: "limits"},
	{Label: "handc"},
}
