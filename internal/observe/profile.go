package observe

import (
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/trace"
	"github.com/gotaichi/ti/internal/variant"
)

// Profile runs f and returns the time of each task in the launches made meanwhile, the longest
// total first, together with the error of f.
func Profile(m *variant.Maker, f func() error) ([]TaskTime, error) {
	return profile(m, &launch.Recorder{}, f)
}

// Trace is [Profile] that also writes which thread ran what and when, as a trace in
// JSON: chrome://tracing, https://ui.perfetto.dev and others show it, with a row for each
// thread.
func Trace(m *variant.Maker, w io.Writer, f func() error) ([]TaskTime, error) {
	if w == nil {
		return nil, diag.Errorf(diag.ErrArgs, "Trace to a nil writer")
	}
	r := &launch.Recorder{Chunks: true}
	p, err := profile(m, r, f)
	if p == nil {
		return p, err
	}
	if more := trace.Write(w, r.Tasks()); err == nil && more != nil {
		err = fmt.Errorf("ti: writing a trace: %w", more)
	}
	return p, err
}

// TaskTime is the time of one task: a parallel loop or serial part of a kernel.
type TaskTime struct {
	Kernel string         // name
	Task   string         // what it does, such as "for p := range X"
	Pos    token.Position // of the loop
	Count  int            // times run
	Total  time.Duration
	Min    time.Duration
	Max    time.Duration
}

// profile runs f while r measures.
func profile(m *variant.Maker, r *launch.Recorder, f func() error) ([]TaskTime, error) {
	if err := m.Usable("Profile"); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, diag.Errorf(diag.ErrArgs, "Profile of a nil function")
	}
	m.Turn.Lock()
	switch {
	case m.Closed.Load():
		m.Turn.Unlock()
		return nil, m.Usable("Profile")
	case m.Measuring != nil:
		m.Turn.Unlock()
		return nil, diag.Errorf(diag.ErrBusy, "a Profile of this runtime inside another, or beside one")
	}
	m.Record(r)
	m.Turn.Unlock()
	err := func() error {
		defer func() {
			m.Turn.Lock()
			m.Record(nil)
			m.Turn.Unlock()
		}()
		return f()
	}()
	p := []TaskTime{}
	for _, t := range r.Tasks() {
		p = append(p, TaskTime{
			Kernel: t.Kernel, Task: t.Task, Pos: variant.PlaceOf(t.Place),
			Count: t.Count, Total: t.Total, Min: t.Min, Max: t.Max,
		})
	}
	return p, err
}

// FormatProfile formats times as a table with a line for each task and one for the sum.
func FormatProfile(p []TaskTime) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "share\ttotal\tcount\tmean\tmin\tmax\t  task")
	var sum TaskTime
	for _, t := range p {
		sum.Total += t.Total
		sum.Count += t.Count
	}
	for _, t := range p {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t  %s\n", share(t.Total, sum.Total), rounded(t.Total), t.Count,
			rounded(t.Total/time.Duration(t.Count)), rounded(t.Min), rounded(t.Max), t.title())
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t\t\t\t  all tasks\n", share(sum.Total, sum.Total), rounded(sum.Total), sum.Count)
	_ = w.Flush() // into memory
	return b.String()
}

// title names the task for people.
func (t *TaskTime) title() string {
	s := t.Kernel + ": " + t.Task
	if t.Pos.Line > 0 {
		pos := t.Pos
		pos.Filename = filepath.Base(pos.Filename)
		s += " (" + strings.TrimPrefix(variant.Place(pos), ".:") + ")"
	}
	return s
}

func share(part, whole time.Duration) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

// rounded is d to four digits.
func rounded(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 10000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
