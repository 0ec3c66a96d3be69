package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// options are the flags of the command.
type options struct {
	suite.Flags
	from, docs  string
	quick, apps bool
	ablation    bool
}

func main() {
	var o options
	o.Register(suite.Labels(known(suite.Budget{}))...)
	flag.StringVar(&o.from, "from", "", "measure nothing: take the results that an earlier run wrote to this `file` by -json")
	flag.StringVar(&o.docs, "docs", "", "write the table into benchmarks.md of this `folder`, and the plot beside it")
	flag.BoolVar(&o.quick, "quick", false, "measure each case for a tenth of a second, at 1 and 10 % of active cells only")
	flag.BoolVar(&o.apps, "apps", false, "measure the examples that compute on sparse trees, instead of the cases")
	flag.BoolVar(&o.ablation, "ablation", false, "measure a kernel of the example fem without parts of the compiler, instead of the cases")
	suite.Main("sparse", o.command)
}

// command does what the flags say.
func (o *options) command(ctx context.Context, w io.Writer) error {
	switch {
	case o.docs != "" && (o.Run != "" || o.quick):
		return errors.New("the tables in the documentation hold all cases: -docs goes with neither -run nor -quick")
	case o.apps && o.ablation:
		return errors.New("-apps and -ablation are two tables: give one of them")
	case o.ablation && o.Run != "":
		return errors.New("-run chooses among cases and examples: it does not go with -ablation")
	case o.from != "" && (o.docs == "" || o.apps || o.ablation):
		return errors.New("-from is for writing the table and the plot of earlier results: -docs says where")
	case o.from != "":
		rows, err := suite.ReadJSON(o.from)
		if err != nil {
			return err
		}
		return document(o.docs, rows)
	case o.apps:
		return applications(ctx, o, w)
	case o.ablation:
		return ablate(ctx, o, w)
	}
	return compare(ctx, o, w)
}

// compare runs the cases, ours, on arrays, and the peers'.
func compare(ctx context.Context, o *options, w io.Writer) error {
	budget, permille := suite.Budget{Least: 3, For: 500 * time.Millisecond}, activities
	if o.quick {
		budget.For, permille = 100*time.Millisecond, []int{10, 100}
	}
	sparse, arrays := casesIn(256, permille, budget)
	rows, err := o.Compare(ctx, known(budget), sparse, w, &suite.Variant{Label: "dense", Cases: arrays})
	if o.docs != "" && err == nil {
		err = document(o.docs, rows)
	}
	return err
}

// known are the peers there are; they measure each case for as long as this program does.
func known(budget suite.Budget) []suite.Known {
	seconds := []string{"--seconds", fmt.Sprint(budget.For.Seconds())}
	return []suite.Known{
		{Label: "taichi", Script: "taichi_sparse.py", Args: append([]string{"--module", "taichi"}, seconds...)},
		{Label: "quadrants", Script: "taichi_sparse.py", Args: append([]string{"--module", "quadrants"}, seconds...)},
		{Label: "openvdb", Args: seconds},
		{Label: "nanovdb", Args: seconds},
		{Label: "handc", Args: seconds},
	}
}
