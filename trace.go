package ti

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"github.com/gotaichi/ti/internal/engine"
)

// A traceEvent is an event in the format of the Chrome trace viewer: a complete
// one (X), or a name given to a row (M). Times are in microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Start float64        `json:"ts"`
	Dur   float64        `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// writeTrace writes the stretches of all tasks: a row for each thread.
func writeTrace(w io.Writer, tasks []*engine.TaskRecord) error {
	b := bufio.NewWriter(w)
	threads := 0
	first := true
	var failed error
	put := func(e traceEvent) {
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
		where := place(placeOf(t.Place))
		for _, c := range t.Chunks {
			threads = max(threads, c.Thread+1)
			put(traceEvent{
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
		put(traceEvent{Name: "thread_name", Phase: "M", TID: i, Args: map[string]any{"name": name}})
	}
	b.WriteString("\n]}\n")
	if failed != nil {
		return failed
	}
	return b.Flush() // which remembers the first failure
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
