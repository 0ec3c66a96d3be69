package demo

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/page"
)

// A Demo is one run of an example.
type Demo struct {
	name     string
	out      string
	progress io.Writer // nil for none
	short    bool      // do less than the whole
	run      time.Duration
	compile  time.Duration
	said     []string // lines to be printed at the end
	window   bool     // show a window in place of writing pictures
	listen   string   // its address; "" for any
}

// New returns a run of an example that writes its pictures to the folder out and its progress to progress, which
// may be nil.
func New(name, out string, progress io.Writer) *Demo {
	return &Demo{name: name, out: out, progress: progress}
}

// Short returns less where the example is to do less than it could, else full.
func (d *Demo) Short(less, full int) int {
	if d.short {
		return less
	}
	return full
}

// A Result is what an example reports: so many units of work, and the picture to look at. The rest is filled in
// from what was measured.
type Result struct {
	Example   string  `json:"example"`
	Work      string  `json:"work"`       // for people, such as "100 frames of 640×320"
	Amount    float64 `json:"amount"`     // of work, in Unit
	Unit      string  `json:"unit"`       // such as "pixel"
	CompileMs float64 `json:"compile_ms"` // time in the compiler
	RunMs     float64 `json:"run_ms"`     // time in kernels
	Rate      string  `json:"rate"`       // Amount by RunMs
	File      string  `json:"file"`
	PeakBytes int64   `json:"peak_bytes"` // most memory resident, 0 where the system does not report it
}

// Main is the main function of an example: it reads the flags, runs the example and reports its result.
func Main(name string, run func(*Demo) (Result, error)) {
	out := flag.String("out", "out", "`folder` for the pictures")
	asJSON := flag.Bool("json", false, "print the result as a JSON object")
	short := flag.Bool("short", false, "do less, where the whole takes long")
	window := flag.Bool("window", false, "show a window, in the examples that have one")
	listen := flag.String("listen", "", "`address` at which the page of the window is served, such as 127.0.0.1:8080")
	flag.Parse()
	s := New(name, *out, os.Stderr)
	if s.short = *short; *window {
		s.InWindow(*listen)
	}
	if err := report(s, *asJSON, run); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// report runs an example and prints its result.
func report(s *Demo, asJSON bool, run func(*Demo) (Result, error)) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; see -help for the flags", flag.Arg(0))
	}
	if err := s.writable(); err != nil { // before the work is done
		return err
	}
	r, err := run(s)
	if err != nil {
		return err
	}
	s.complete(&r)
	for _, line := range s.said {
		fmt.Fprintln(s.progress, line)
	}
	if !asJSON {
		where := ""
		if r.File != "" {
			where = ", " + r.File
		}
		fmt.Printf("%s: %s, compiled in %.0f ms, ran for %.2f s, %s%s\n",
			r.Example, r.Work, r.CompileMs, r.RunMs/1e3, r.Rate, where)
		return nil
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// complete fills in what was measured.
func (d *Demo) complete(r *Result) {
	r.Example = d.name
	r.CompileMs = float64(d.compile) / float64(time.Millisecond)
	r.RunMs = float64(d.run) / float64(time.Millisecond)
	r.Rate = rate(r.Amount, d.run, r.Unit)
	r.PeakBytes = peakMemory()
}

// rate formats an amount by a time with a prefix.
func rate(amount float64, d time.Duration, unit string) string {
	if d <= 0 {
		return "-"
	}
	perSecond := amount / d.Seconds()
	for _, p := range []struct {
		factor float64
		prefix string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if perSecond >= p.factor {
			return fmt.Sprintf("%.3g %s%s/s", perSecond/p.factor, p.prefix, unit)
		}
	}
	return fmt.Sprintf("%.3g %s/s", perSecond, unit)
}

// Run times f, which launches kernels on rt, and waits for them. What the compiler needed meanwhile is not
// counted as running.
func (d *Demo) Run(rt *ti.Runtime, f func() error) error {
	compiled := rt.Stats().CompileTime
	start := time.Now()
	if err := f(); err != nil {
		return err
	}
	if err := rt.Sync(); err != nil {
		return err
	}
	elapsed := time.Since(start)
	d.compile = rt.Stats().CompileTime
	d.run += max(0, elapsed-(d.compile-compiled))
	return nil
}

// Path returns where a file of that name goes.
func (d *Demo) Path(file string) string { return filepath.Join(d.out, file) }

// writable makes the folder for the files, and reports early what would prevent them from being written.
func (d *Demo) writable() error {
	if page.Open() {
		return nil // pictures are shown
	}
	err := os.MkdirAll(d.out, 0o777)
	if err == nil {
		probe := d.Path(".writable")
		if err = os.WriteFile(probe, nil, 0o666); err == nil {
			err = os.Remove(probe)
		}
	}
	if err != nil {
		return fmt.Errorf("no pictures can be written: %w; choose another folder with -out", err)
	}
	return nil
}
