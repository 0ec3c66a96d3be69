package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"

	"github.com/gotaichi/ti"
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
	flag.StringVar(&o.beside, "beside", "", "run these `peers` too: taichi,quadrants,numba,warp,limits")
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

// compare runs the cases that the flags select, ours and the peers' in turn.
func compare(ctx context.Context, o *options, w io.Writer) error {
	re, err := regexp.Compile(o.run)
	if err != nil {
		return fmt.Errorf("the argument of -run is no regular expression: %w", err)
	}
	peers, err := findPeers(ctx, o.peers, o.beside)
	if err != nil {
		return err
	}
	t := &table{w: w, peers: peers}
	t.header()
	rows := []*row{}
	var errs []error
	for i := range benchmarks {
		b := &benchmarks[i]
		if !re.MatchString(b.name) || ctx.Err() != nil {
			continue
		}
		r, err := runCase(ctx, b, peers, o.threads)
		if err != nil {
			errs = append(errs, err)
		}
		if r != nil {
			rows = append(rows, r)
			t.row(r)
		}
	}
	t.means(rows)
	if len(rows)+len(errs) == 0 {
		return errors.Join(ctx.Err(), fmt.Errorf("no case matches %q", o.run))
	}
	if o.json != "" {
		errs = append(errs, writeJSON(o.json, rows))
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// runCase measures one case. With an error it may return a row too: what did work.
func runCase(ctx context.Context, b *benchmark, peers []*peer, threads int) (*row, error) {
	our, err := measure(b, ti.Config{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	r := &row{Name: b.name, MedianUs: microseconds(our.median), MinUs: microseconds(our.min), Check: our.check}
	var errs []error
	if err := disagree(our.check, b.want, b.tol); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", b.name, err))
	}
	r.Beside = map[string]beside{}
	for _, p := range peers {
		if !p.has(b.name) || ctx.Err() != nil {
			continue
		}
		their, err := p.measure(ctx, b.name, threads)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.Beside[p.name] = beside{
			MedianUs: microseconds(their.median),
			Ratio:    float64(their.median) / max(float64(our.median), 1),
		}
		// The peers print nine digits.
		if err := disagree(their.check, our.check, max(b.tol, b.peerTol, 1e-8)); err != nil {
			errs = append(errs, fmt.Errorf("%s of %s: %w", b.name, p.name, err))
		}
	}
	return r, errors.Join(errs...)
}
