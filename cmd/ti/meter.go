package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/gotaichi/ti"
)

// A meter reports long compilations and launches: on a terminal in one line that
// changes, elsewhere with a line every ten seconds.
type meter struct {
	w        io.Writer
	terminal bool

	mu    sync.Mutex
	last  time.Time // of the last line, where there is no terminal
	shown bool      // the terminal's line is not empty
}

func newMeter(w io.Writer) *meter {
	f, ok := w.(interface{ Fd() uintptr })
	return &meter{w: w, terminal: ok && term.IsTerminal(int(f.Fd())), last: time.Now()}
}

// show is a ti.Config.Progress.
func (m *meter) show(p ti.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	what := "running"
	if p.Compile {
		what = "compiling"
	}
	line := fmt.Sprintf("%s %s, %.0f s", what, p.Kernel, p.Elapsed.Seconds())
	if p.Total > 0 {
		line += fmt.Sprintf(", task %d of %d, %d%%", p.Task+1, p.Tasks, 100*p.Done/p.Total)
	}
	switch {
	case m.terminal:
		m.shown = true
		fmt.Fprintf(m.w, "\r\x1b[K%s", line)
	case time.Since(m.last) > 10*time.Second:
		m.last = time.Now()
		fmt.Fprintln(m.w, line)
	}
}

// clear empties the terminal's line for what is printed next.
func (m *meter) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown {
		m.shown = false
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
