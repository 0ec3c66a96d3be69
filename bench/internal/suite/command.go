package suite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// Flags are those that the benchmark commands share.
type Flags struct {
	Options
	Beside string // names of peers
	Dir    string // that holds their programs
	JSON   string // file for the results, "" for none

	Against   string  // file with the results of an earlier run, "" for none
	Threshold float64 // from how many times its times on a case fails
}

// Register declares the flags; peers are those there are.
func (f *Flags) Register(peers ...string) {
	flag.StringVar(&f.Run, "run", "", "run only the cases whose name matches this regular `expression`")
	flag.IntVar(&f.Threads, "threads", 0, "threads for a parallel loop; 0 means one for each processor")
	flag.StringVar(&f.Beside, "beside", "", "run these `peers` too: "+strings.Join(peers, ","))
	flag.StringVar(&f.Dir, "peers", "bench/peers", "`folder` that holds the programs of the peers")
	flag.StringVar(&f.Against, "regress", "", "compare with the results that an earlier run on this machine wrote to this `file` by -json, and fail where a case is slower")
	flag.Float64Var(&f.Threshold, "threshold", 1.1, "with -regress: how many times as long a case may take")
	flag.StringVar(&f.JSON, "json", "", "write the results to this `file`")
}

// Main parses the flags and runs a command, which an interrupt ends.
func Main(name string, command func(ctx context.Context, w io.Writer) error) {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q; see -help for the flags", flag.Arg(0))
	} else {
		err = command(ctx, os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Compare runs the cases that the flags select beside the programs that they name and
// variants of the cases, prints a table, and writes the results where the flags say.
func (f *Flags) Compare(ctx context.Context, known []Known, cases []Case, w io.Writer, variants ...Peer) ([]*Row, error) {
	programs, err := FindPrograms(ctx, f.Dir, f.Beside, known)
	if err != nil {
		return nil, err
	}
	rows, err := Compare(ctx, f.Options, cases, append(variants, AsPeers(programs)...), w)
	if f.JSON != "" && len(rows) > 0 {
		err = errors.Join(err, WriteJSON(f.JSON, rows))
	}
	if f.Against != "" && len(rows) > 0 {
		err = errors.Join(err, f.regress(ctx, rows, cases, w))
	}
	return rows, err
}

// Labels returns the names of peers.
func Labels(known []Known) (names []string) {
	for _, k := range known {
		names = append(names, k.Label)
	}
	return names
}
