package suite

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gotaichi/ti"
)

// attempts is how often a case that looks slower is measured, at most. Another program may have
// had the processor meanwhile, so the least time counts.
const attempts = 5

// Regress compares rows with those of an earlier run on the same machine: the shortest launch, and the time that
// compilation took. A case that takes more than threshold times as long, which again makes sure of, is an error; so is
// one of the earlier run that is missing though it was asked for.
func Regress(rows, before []*Row, threshold float64, again func(name string) (*Row, error), w io.Writer) error {
	now := map[string]*Row{}
	for _, r := range rows {
		now[r.Name] = r
	}
	var errs []error
	fmt.Fprintf(w, "\n%-24s %8s %8s   beside the earlier run\n", "case", "run", "compile")
	for _, old := range before {
		r := now[old.Name]
		if r == nil {
			continue
		}
		run, compile := r.MinUs/old.MinUs, r.CompileUs/old.CompileUs // NaN or infinite for what was not measured
		for n := 1; n < attempts && (run > threshold || slower(compile, threshold)); n++ {
			more, err := again(old.Name)
			if err != nil {
				errs = append(errs, err)
				break
			}
			run, compile = min(run, more.MinUs/old.MinUs), min(compile, more.CompileUs/old.CompileUs)
		}
		fmt.Fprintf(w, "%-24s %8.3f %8.3f\n", old.Name, run, compile)
		if run > threshold {
			errs = append(errs, fmt.Errorf("%s runs %.2f times as long as before", old.Name, run))
		}
		if slower(compile, threshold) {
			errs = append(errs, fmt.Errorf("%s compiles %.2f times as long as before", old.Name, compile))
		}
	}
	return errors.Join(errs...)
}

// slower is false for a time that the earlier run does not have.
func slower(ratio, threshold float64) bool { return ratio > threshold && ratio < 1e6 }

// regress is Regress for the flags.
func (f *Flags) regress(ctx context.Context, rows []*Row, cases []Case, w io.Writer) error {
	before, err := ReadJSON(f.Against)
	if err != nil {
		return err
	}
	again := func(name string) (*Row, error) {
		for i := range cases {
			if cases[i].Name == name && ctx.Err() == nil {
				t, err := cases[i].Measure(ti.Config{Threads: f.Threads})
				return &Row{MinUs: Microseconds(t.Min), CompileUs: Microseconds(t.Compile)}, err
			}
		}
		return nil, errors.Join(ctx.Err(), fmt.Errorf("no case is named %s", name))
	}
	return Regress(rows, before, f.Threshold, again, w)
}
