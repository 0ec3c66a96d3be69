package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/site"
)

// A Report is what is to be said about a kernel.
type Report struct {
	Kernel   string
	Files    []string // for positions
	Tasks    []Task
	Notes    []note.Note
	Bytes    int // of machine code, tables included; 0 if none was made
	Took     string
	Unproven int // index checks that remain
}

// A Task is a task of the kernel.
type Task struct {
	Name     string
	Pos      ir.Pos
	Serial   bool
	Helper   bool
	Range    string // "over 128×64 = 8192 iterations"
	Bytes    int
	Vector   string   // how it uses vectors; "" if it does not
	Across   bool     // they are of several iterations
	Obstacle []string // why they are not
}

// Code is what is known of a kernel's machine code.
type Code struct {
	LLVM  string         // the optimised code of all modules
	Sizes map[string]int // bytes of each function
	Total int
	Name  func(*ir.Task) string // of a task's function
}

// Analyse looks at a kernel as the passes left it. Without code nothing is said
// about vectors.
func Analyse(k *ir.Kernel, notes []note.Note, code *Code) *Report {
	r := &Report{Kernel: k.Name, Files: k.Files, Notes: notes}
	var functions map[string]string
	if code != nil {
		functions = functionTexts(code.LLVM)
		r.Bytes = code.Total
	}
	for _, s := range k.Sites {
		if s.Kind == site.Index {
			r.Unproven++
		}
	}
	for _, t := range k.Tasks {
		task := Task{Name: t.Name, Pos: t.Pos, Serial: len(t.Dims) == 0, Helper: t.Helper, Range: rangeText(t)}
		if code != nil {
			name := code.Name(t)
			task.Bytes = code.Sizes[name]
			if task.Vector, task.Across = vectors(functions[name], packetLanes(t)); !task.Across {
				task.Obstacle = obstacles(k, t)
			}
		}
		r.Tasks = append(r.Tasks, task)
		r.Notes = append(r.Notes, arrays(t)...)
	}
	r.Notes = slices.DeleteFunc(r.Notes, func(n note.Note) bool { return n.NoPackets && r.vectorisedAt(n.Pos) })
	return r
}

// vectorisedAt reports whether LLVM has vectorised all loops at a position.
func (r *Report) vectorisedAt(pos ir.Pos) bool {
	found := false
	for _, t := range r.Tasks {
		if t.Pos == pos && !t.Serial && !t.Helper && t.Bytes > 0 {
			if !t.Across {
				return false
			}
			found = true
		}
	}
	return found
}

// rangeText says over what a task runs.
func rangeText(t *ir.Task) string {
	if len(t.Dims) == 0 {
		return ""
	}
	total, known := int64(1), true
	what := "iterations"
	if lanes := packetLanes(t); lanes > 0 {
		what = fmt.Sprintf("packets of %d iterations", lanes)
	}
	if len(t.Lists) > 0 && t.Dims[0].Hi.From == ir.FromList {
		return "over a list of active blocks"
	}
	var parts []string
	for _, d := range t.Dims {
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst {
			parts, known = append(parts, "?"), false
			continue
		}
		n := max(0, d.Hi.Const-d.Lo.Const)
		total *= n
		parts = append(parts, fmt.Sprint(n))
	}
	switch {
	case known && len(parts) == 1:
		return fmt.Sprintf("over %d %s", total, what)
	case known:
		return fmt.Sprintf("over %s = %d %s", strings.Join(parts, "×"), total, what)
	case len(parts) == 1:
		return fmt.Sprintf("over %s, their number being known at launch", what)
	}
	return fmt.Sprintf("over %s %s, ? being known at launch", strings.Join(parts, "×"), what)
}

// packetLanes is the number of iterations that a task does at once, 0 if it was
// not made to do packets.
func packetLanes(t *ir.Task) int {
	lanes := 0
	ir.Visit(t.Body, func(o *ir.Op) bool {
		for _, v := range o.Results {
			lanes = max(lanes, int(v.Type.Lanes))
		}
		return true
	})
	if lanes <= 1 {
		return 0
	}
	return lanes
}

// arrays notes the local arrays that stay in memory.
func arrays(t *ir.Task) []note.Note {
	if packetLanes(t) > 0 {
		return nil // those of packets are the vectors that a loop carries
	}
	var out []note.Note
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpAlloc {
			name := "an array"
			if n := o.Results[0].Name; n != "" {
				name = "array " + n
			}
			out = append(out, note.Note{
				Pos: o.Pos, Text: fmt.Sprintf("in memory: %s, of %d numbers, is indexed with values known at run time only", name, o.Aux),
				Advice: fmt.Sprintf("%s would be in registers if all its indices were constants: unroll loops over it with range static(…)", name),
			})
		}
		return true
	})
	return out
}

// obstacles lists what keeps a task from being vectorised, in the order of the
// source.
func obstacles(k *ir.Kernel, t *ir.Task) []string {
	var out []string
	add := func(pos ir.Pos, text string) {
		if pos.IsKnown() {
			text += fmt.Sprintf(" (line %d)", pos.Line)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpAtomic:
			add(o.Pos, "an atomic")
		case ir.OpFail:
			add(o.Pos, checkText(k.Sites[o.Aux].Kind))
		case ir.OpRecord:
			add(o.Pos, "text that is printed")
		case ir.OpCall:
			add(o.Pos, "a call of "+o.Func.Name)
		case ir.OpLoop:
			add(o.Pos, "a loop that ends by a condition")
		case ir.OpFor:
			if len(t.Lists) > 0 && o.Pos == t.Pos { // over the cells of a block
				return true
			}
			add(o.Pos, "a loop inside")
		case ir.OpAlloc:
			add(o.Pos, "an array in memory")
		}
		return true
	})
	if t.Strided {
		add(ir.Pos{}, "elements that lie apart")
	}
	return out
}

// checkText is what may fail at a site.
func checkText(kind site.Kind) string {
	switch kind {
	case site.Index:
		return "an index check"
	case site.Assert:
		return "an assertion"
	}
	return "a check of debug mode"
}
