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
	Vector   string       // how it uses vectors; "" if it does not
	Across   bool         // they are of several iterations
	Obstacle []note.Cause // why they are not
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
		if s.Kind == site.Index || s.Kind == site.Section {
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
	r.Notes = slices.DeleteFunc(r.Notes, func(n note.Note) bool { return n.Is(note.NoPackets) && r.vectorisedAt(n.Pos) })
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
	if lanes := packetLanes(t); lanes > 0 && t.Batch == 0 {
		what = fmt.Sprintf("packets of %d iterations", lanes)
	}
	if t.Strip > 0 && packetLanes(t) > 0 {
		what = fmt.Sprintf("blocks of %d iterations", t.Strip)
	} else if t.Strip > 0 {
		what = fmt.Sprintf("strips of %d iterations", t.Strip)
	}
	if len(t.Lists) > 0 && t.Dims[0].Hi.From == ir.FromList {
		if t.Batch > 0 {
			return fmt.Sprintf("over a list of active blocks, %d at a time", t.Batch)
		}
		if len(t.Dims) > 1 {
			return "over the cells of the active blocks of a list"
		}
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
		if o.Code == ir.OpAlloc && (t.Strip == 0 || o.Results[0].Name != "") {
			name := "an array"
			if n := o.Results[0].Name; n != "" {
				name = "array " + n
			}
			out = append(out, note.New(o.Pos, note.InMemory, name, o.Aux))
		}
		return true
	})
	return out
}

// obstacles lists what keeps a task from being vectorised, in the order of the
// source.
func obstacles(k *ir.Kernel, t *ir.Task) []note.Cause {
	var out []note.Cause
	add := func(pos ir.Pos, r note.Reason, args ...any) {
		c := r.With(args...).At(pos)
		if !slices.ContainsFunc(out, func(o note.Cause) bool { return o.String() == c.String() }) {
			out = append(out, c)
		}
	}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpAtomic:
			add(o.Pos, note.AnAtomic)
		case ir.OpFail:
			add(o.Pos, checkAt(k.Sites[o.Aux].Kind))
		case ir.OpRecord:
			add(o.Pos, note.APrint)
		case ir.OpCall:
			add(o.Pos, note.ACall, o.Func.Name)
		case ir.OpLoop:
			add(o.Pos, note.ALoopByCondition)
		case ir.OpFor:
			if len(t.Lists) > 0 && o.Pos == t.Pos { // over the cells of a block
				return true
			}
			add(o.Pos, note.ALoopInside)
		case ir.OpAlloc:
			add(o.Pos, note.AnArray)
		}
		return true
	})
	if t.Strided {
		add(ir.Pos{}, note.LargeStrides)
	}
	return out
}

// checkAt is what may fail at a site.
func checkAt(kind site.Kind) note.Reason {
	switch kind {
	case site.Index, site.Section:
		return note.AnIndexCheck
	case site.Assert:
		return note.AnAssertion
	}
	return note.ADebugCheck
}
