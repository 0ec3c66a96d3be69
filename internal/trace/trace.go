package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gotaichi/ti/internal/launch"
)

// An event is one in the format of the Chrome trace viewer: a complete
// one (X), or a name given to a row (M). Times are in microseconds.
type event struct {
	name, cat  string // cat is left out where it is ""
	phase      string
	start, dur float64 // dur is left out where it is 0
	tid        int
	args       string // in JSON
}

// append appends the event in JSON. That is written here, so that programs that never trace have no package for it.
func (e *event) append(b []byte) []byte {
	b = appendText(append(b, `{"name":`...), e.name)
	if e.cat != "" {
		b = appendText(append(b, `,"cat":`...), e.cat)
	}
	b = appendText(append(b, `,"ph":`...), e.phase)
	b = strconv.AppendFloat(append(b, `,"ts":`...), e.start, 'f', -1, 64)
	if e.dur != 0 {
		b = strconv.AppendFloat(append(b, `,"dur":`...), e.dur, 'f', -1, 64)
	}
	b = strconv.AppendInt(append(b, `,"pid":0,"tid":`...), int64(e.tid), 10)
	return append(append(append(b, `,"args":`...), e.args...), '}')
}

// appendText appends a string in JSON. What is no UTF-8 becomes the sign for that.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = fmt.Appendf(b, "\\u%04x", r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// Write writes the chunks of all tasks.
func Write(w io.Writer, tasks []*launch.TaskRecord) error {
	b := bufio.NewWriter(w)
	threads := 0
	first := true
	put := func(e event) {
		if !first {
			b.WriteString(",\n")
		}
		first = false
		b.Write(e.append(nil))
	}
	b.WriteString("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n")
	for _, t := range tasks {
		where := place(t.Place)
		for _, c := range t.Chunks {
			threads = max(threads, c.Thread+1)
			put(event{
				name: t.Kernel + ": " + t.Task, cat: t.Kernel, phase: "X", start: micros(c.Start), dur: micros(c.Length), tid: c.Thread,
				args: fmt.Sprintf(`{"iterations":%d,"source":%s}`, c.End-c.Begin, appendText(nil, where)),
			})
		}
	}
	for i := range threads {
		name := "worker"
		if i == 0 {
			name = "launching thread"
		}
		put(event{name: "thread_name", phase: "M", tid: i, args: `{"name":"` + name + `"}`})
	}
	b.WriteString("\n]}\n")
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
