// Package trace writes what threads ran and when as a trace in JSON that viewers show:
// chrome://tracing, https://ui.perfetto.dev and others.
//
// In: the tasks that an [engine.Recorder] has, with their chunks. Out: the format of the Chrome
// trace viewer (Google, "Trace Event Format", JSON object format), with a row for each thread.
package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
)

// An event is one in the format of the Chrome trace viewer: a complete
// one (X), or a name given to a row (M). Times are in microseconds.
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Start float64        `json:"ts"`
	Dur   float64        `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// Write writes the chunks of all tasks.
func Write(w io.Writer, tasks []*engine.TaskRecord) error {
	b := bufio.NewWriter(w)
	threads := 0
	first := true
	var failed error
	put := func(e event) {
		text, err := json.Marshal(e)
		if err != nil && failed == nil {
			failed = err
		}
		if !first {
			b.WriteString(",\n")
		}
		first = false
		b.Write(text)
	}
	b.WriteString("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n")
	for _, t := range tasks {
		where := place(t.Place)
		for _, c := range t.Chunks {
			threads = max(threads, c.Thread+1)
			put(event{
				Name: t.Kernel + ": " + t.Task, Cat: t.Kernel, Phase: "X", Start: micros(c.Start), Dur: micros(c.Length), TID: c.Thread,
				Args: map[string]any{"source": where, "iterations": c.End - c.Begin},
			})
		}
	}
	for i := range threads {
		name := "worker"
		if i == 0 {
			name = "launching thread"
		}
		put(event{Name: "thread_name", Phase: "M", TID: i, Args: map[string]any{"name": name}})
	}
	b.WriteString("\n]}\n")
	if failed != nil {
		return failed
	}
	return b.Flush() // which remembers the first failure
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// place names a place; a source without a name has line and column only.
func place(p launch.Place) string {
	name := p.File
	if name == "" {
		name = "source"
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}
