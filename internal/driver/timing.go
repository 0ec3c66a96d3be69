package driver

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// A Timing is how long the steps of a compilation took. Its methods may be called from several
// goroutines; a nil Timing takes nothing.
type Timing struct {
	mu      sync.Mutex
	steps   []timedStep
	modules []target.Made
}

// A timedStep is lowering, or a pass.
type timedStep struct {
	name string
	took time.Duration
	ops  int // that it left
}

// step notes that a step on k is done.
func (t *Timing) step(name string, took time.Duration, k *ir.Kernel) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, timedStep{name, took, opsOf(k)})
}

// made notes that the target has made code of some tasks.
func (t *Timing) made(m target.Made) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.modules = append(t.modules, m)
}

// opsOf is the number of ops in a kernel, before or after it is cut into tasks.
func opsOf(k *ir.Kernel) int {
	n := 0
	if k.Body != nil {
		n = k.Body.Size()
	}
	for _, t := range k.Tasks {
		for _, b := range t.Blocks() {
			n += b.Size()
		}
	}
	return n
}

// Write writes a table: each step with its time and the ops that it leaves, and the target's
// modules, the slowest first, with bytes of their text and code. Modules are made side by side.
func (t *Timing) Write(w io.Writer, kernel string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var passes, code time.Duration
	for _, s := range t.steps {
		passes += s.took
	}
	for _, m := range t.modules {
		code += m.Took
	}
	if _, err := fmt.Fprintf(w, "kernel %s: %s until the target, which took %s\n", kernel, milliseconds(passes), milliseconds(code)); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range t.steps {
		fmt.Fprintf(table, "%s\t%d ops\t\t  %s\n", milliseconds(s.took), s.ops, s.name)
	}
	slices.SortStableFunc(t.modules, func(a, b target.Made) int { return cmp.Compare(b.Took, a.Took) })
	for _, m := range t.modules {
		fmt.Fprintf(table, "%s\t%d bytes\t%d bytes\t  %s\n", milliseconds(m.Took), m.Text, m.Code, strings.Join(m.Names, " "))
	}
	return table.Flush()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

// TimeStage is the name under which Dump has how long the steps of a compilation take.
const TimeStage = "time"

// timed compiles a kernel and returns the table of its steps.
func timed(p *typed.Program, name string, lay Layout, o Options) (string, error) {
	o.Timing = new(Timing)
	u, err := Prepare(p, name, lay, o)
	if err != nil {
		return "", err
	}
	if _, err := u.Compile(); err != nil {
		return "", err
	}
	var b strings.Builder
	err = o.Timing.Write(&b, name)
	return b.String(), err
}
