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
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// A Timing is how long the steps of a compilation took. Its methods may be called from several
// goroutines; a nil Timing takes nothing.
type Timing struct {
	mu      sync.Mutex
	steps   []timedStep
	modules []target.Made
	tasks   map[*ir.Task]*timedTask
	order   []*timedTask // the kernel's tasks, once they have code
}

// A timedTask is what passes and the target have made of a task.
type timedTask struct {
	label   string // its name and where it stands
	symbol  string
	took    time.Duration // by the passes that look at tasks one by one
	slowest timedStep     // of these
	first   int           // ops when the first of them saw it
	ops     int           // that the last left
	code    int           // bytes, with constants
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

// task notes that a pass has been over a task of its own.
func (t *Timing) task(of *ir.Task, stage string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tasks == nil {
		t.tasks = map[*ir.Task]*timedTask{}
	}
	is := t.tasks[of]
	if is == nil {
		is = &timedTask{first: opsOfTask(of)}
		t.tasks[of] = is
	}
	is.took += took
	if took > is.slowest.took {
		is.slowest = timedStep{name: stage, took: took}
	}
}

// pieces notes what code the tasks of a kernel have become.
func (t *Timing) pieces(k *ir.Kernel, code []launch.Piece) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, of := range k.Tasks {
		is := t.tasks[of]
		if is == nil { // a pass has made it, and none has seen it since
			is = &timedTask{first: opsOfTask(of)}
		}
		is.label, is.symbol, is.ops = of.Name, target.Symbol(of), opsOfTask(of)
		if line := of.Pos.Line; line > 0 {
			is.label = fmt.Sprintf("%s, line %d", of.Name, line)
		}
		is.code = code[i].Size
		t.order = append(t.order, is)
	}
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
		n += opsOfTask(t)
	}
	return n
}

func opsOfTask(t *ir.Task) (n int) {
	for _, b := range t.Blocks() {
		n += b.Size()
	}
	return n
}

// Write writes three tables: each step with its time and the ops that it leaves; the target's
// modules, the slowest first, with bytes of their text and of their objects; and the tasks, with
// what passes have made of them. Modules are made side by side.
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
	if err := table.Flush(); err != nil {
		return err
	}
	return t.writeTasks(w)
}

// writeTasks writes a line for each task: what passes took on it alone, which of them took most, its
// ops before and after, and bytes of code with constants.
func (t *Timing) writeTasks(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, is := range t.order {
		most := "no pass"
		if is.slowest.name != "" {
			most = fmt.Sprintf("%s %s", is.slowest.name, milliseconds(is.slowest.took))
		}
		fmt.Fprintf(table, "%s\t%d to %d ops\t%d bytes\t  %s: %s; most: %s\n", milliseconds(is.took), is.first, is.ops, is.code, is.symbol, is.label, most)
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
