package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/gotaichi/ti"
)

// A Case is one of a suite.
type Case struct {
	Name string
	Want float64 // the checksum
	Tol  float64 // by how much a checksum may differ, relative

	// Expect, if not nil, computes the checksum in another way, and takes the place of Want.
	Expect func() float64

	// PeerTol, if not 0, is the tolerance for peers that add up with less precision.
	PeerTol float64

	Batch  int    // Config.Batch of the runtime
	Budget Budget // the standard one if zero
	Work   Work   // of a launch
	Start  func(rt *ti.Runtime) (*Trial, error)
}

// Options are what the flags of a command say about a run of its cases.
type Options struct {
	Run     string // a regular expression that the names of cases match
	Threads int    // of a parallel loop; 0 means one for each processor
}

// Compare runs the cases that the options select, ours and the peers' in turn, and prints a table. With an error it
// returns what did work.
func Compare(ctx context.Context, o Options, cases []Case, peers []Peer, w io.Writer) ([]*Row, error) {
	re, err := regexp.Compile(o.Run)
	if err != nil {
		return nil, fmt.Errorf("the argument of -run is no regular expression: %w", err)
	}
	t := &Table{W: w, Peers: peers}
	t.Header()
	rows := []*Row{}
	var errs []error
	for i := range cases {
		c := &cases[i]
		if !re.MatchString(c.Name) || ctx.Err() != nil {
			continue
		}
		r, err := c.Run(ctx, peers, o.Threads)
		if err != nil {
			errs = append(errs, err)
		}
		if r != nil {
			rows = append(rows, r)
			t.Row(r)
		}
	}
	t.Means(rows)
	if len(rows)+len(errs) == 0 {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("no case matches %q", o.Run))
	}
	return rows, errors.Join(append(errs, ctx.Err())...)
}

// Run measures the case, here and by the peers that have it. With an error it may return a row too: what did work.
func (c *Case) Run(ctx context.Context, peers []Peer, threads int) (*Row, error) {
	our, err := c.Measure(ti.Config{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	r := &Row{Name: c.Name, MedianUs: Microseconds(our.Median), MinUs: Microseconds(our.Min), CompileUs: Microseconds(our.Compile), ThereUs: Microseconds(our.There), Check: our.Check, Work: c.Work}
	var errs []error
	want := c.Want
	if c.Expect != nil {
		want = c.Expect()
	}
	if err := Disagree(our.Check, want, c.Tol); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
	}
	r.Beside = map[string]Beside{}
	for _, p := range peers {
		if !p.Has(c.Name) || ctx.Err() != nil {
			continue
		}
		their, err := p.Measure(ctx, c.Name, threads)
		if refusal, is := errors.AsType[*Refusal](err); is { // no fault of this run
			r.Refused = append(r.Refused, refusal.Error())
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		// A result that is wrong is no time. The peers print nine digits.
		if err := Disagree(their.Check, our.Check, max(c.Tol, c.PeerTol, 1e-8)); err != nil {
			errs = append(errs, fmt.Errorf("%s of %s: %w", c.Name, p.Name(), err))
			continue
		}
		r.Beside[p.Name()] = Beside{
			MedianUs: Microseconds(their.Median),
			Ratio:    float64(their.Median) / max(float64(our.Median), 1),
		}
	}
	return r, errors.Join(errs...)
}
