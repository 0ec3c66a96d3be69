package explain

import (
	"cmp"
	"fmt"
	"go/ast"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/syntax"
)

// A remark stands below a line of the source.
type remark struct {
	pos   ir.Pos
	text  string
	times int
}

// Write writes the functions of the source that the kernel is made of, with the
// remarks below their lines, and then what would make it faster.
func (r *Report) Write(w io.Writer, files []*syntax.File) error {
	remarks := r.remarks()
	b := &strings.Builder{}
	r.head(b)
	for _, f := range files {
		n := slices.Index(r.Files, f.Name)
		if n < 0 {
			continue
		}
		for _, d := range f.Tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := f.Position(fn.Pos()).Line, f.Position(fn.End()).Line
			here := within(remarks, uint16(n), from, to)
			if len(here) > 0 || fn.Recv == nil && fn.Name.Name == r.Kernel {
				writeFunction(b, f, fn, here)
			}
		}
	}
	r.advice(b)
	_, err := io.WriteString(w, b.String())
	return err
}

// head is the first line.
func (r *Report) head(b *strings.Builder) {
	fmt.Fprintf(b, "kernel %s: %s", r.Kernel, count(len(r.Tasks), "task"))
	if r.Bytes > 0 {
		fmt.Fprintf(b, ", %d bytes of machine code and tables", r.Bytes)
	}
	if r.Took != "" {
		fmt.Fprintf(b, ", compiled in %s", r.Took)
	}
	switch r.Unproven {
	case 0:
		b.WriteString("; no index needs a check\n")
	default:
		fmt.Fprintf(b, "; indices are checked at %s\n", count(r.Unproven, "place"))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// remarks are what is said about tasks and the notes, by position, equal ones once.
func (r *Report) remarks() []*remark {
	var out []*remark
	add := func(pos ir.Pos, text string) {
		for _, m := range out {
			if m.pos == pos && m.text == text {
				m.times++
				return
			}
		}
		out = append(out, &remark{pos, text, 1})
	}
	for i, t := range r.Tasks {
		add(t.Pos, t.text(i))
	}
	for _, n := range r.Notes {
		add(n.Pos, n.Text)
	}
	slices.SortStableFunc(out, func(a, b *remark) int {
		return cmp.Or(cmp.Compare(a.pos.File, b.pos.File), cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col))
	})
	return out
}

// text is what is said about a task.
func (t *Task) text(number int) string {
	kind := "parallel " + t.Range
	switch {
	case t.Helper:
		kind = t.Name
	case t.Serial:
		kind = "serial code"
	case strings.HasSuffix(t.Name, "(rest)"):
		kind = "the rest, parallel " + t.Range
	}
	s := fmt.Sprintf("task %d: %s", number, kind)
	if t.Bytes > 0 {
		s += fmt.Sprintf(", %d bytes", t.Bytes)
	}
	if t.Bytes == 0 || t.Serial || t.Helper {
		return s
	}
	if t.Vector != "" {
		s += "; " + t.Vector
	}
	if !t.Across {
		s += "; one iteration at a time"
		if len(t.Obstacle) > 0 {
			s += ", because of " + joined(t.Obstacle)
		}
	}
	return s
}

// joined lists things in a sentence, the first few.
func joined(causes []note.Cause) string {
	const most = 4
	var list []string
	for _, c := range causes {
		list = append(list, c.String())
	}
	if n := len(list); n > most {
		list = append(slices.Clone(list[:most]), count(n-most, "thing")+" more")
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}

// within selects the remarks on lines of a file.
func within(all []*remark, file uint16, from, to int) []*remark {
	var out []*remark
	for _, m := range all {
		if m.pos.IsKnown() && m.pos.File == file && int(m.pos.Line) >= from && int(m.pos.Line) <= to {
			out = append(out, m)
		}
	}
	return out
}

// writeFunction writes a function with remarks below its lines.
func writeFunction(b *strings.Builder, f *syntax.File, fn *ast.FuncDecl, remarks []*remark) {
	first := f.Position(fn.Pos())
	fmt.Fprintf(b, "\n%s:%d\n", filepath.ToSlash(first.Filename), first.Line)
	for i, line := range strings.Split(f.Text(fn.Pos(), fn.End()), "\n") {
		number := first.Line + i
		fmt.Fprintf(b, "%5d  %s\n", number, strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r"))
		indent := len(line) - len(strings.TrimLeft(line, "\t"))
		for _, m := range remarks {
			if int(m.pos.Line) == number {
				fmt.Fprintf(b, "     | %s%s%s\n", strings.Repeat("    ", indent), m.text, times(m.times))
			}
		}
	}
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}

// hasCopy reports whether threads add to a copy of their own at a place: then no atomic is left there to get rid of.
func (r *Report) hasCopy(pos ir.Pos) bool {
	return slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Pos == pos && n.Is(note.PrivateCopy) })
}

// advice writes what would make the kernel faster, each advice once.
func (r *Report) advice(b *strings.Builder) {
	var texts []string
	lines := map[string][]uint32{}
	notes := slices.Clone(r.Notes)
	slices.SortStableFunc(notes, func(x, y note.Note) int { return cmp.Compare(x.Pos.Line, y.Pos.Line) })
	for _, n := range notes {
		if n.Advice == "" || n.Is(note.AdjointNotGathered) && r.hasCopy(n.Pos) {
			continue
		}
		if lines[n.Advice] == nil {
			texts = append(texts, n.Advice)
		}
		if !slices.Contains(lines[n.Advice], n.Pos.Line) {
			lines[n.Advice] = append(lines[n.Advice], n.Pos.Line)
		}
	}
	if len(texts) == 0 {
		b.WriteString("\nWhat would make it faster: nothing that is evident here.\n")
		return
	}
	b.WriteString("\nWhat would make it faster:\n")
	for _, t := range texts {
		where := make([]string, len(lines[t]))
		for i, l := range lines[t] {
			where[i] = fmt.Sprint(l)
		}
		word := "line"
		if len(where) > 1 {
			word = "lines"
		}
		fmt.Fprintf(b, "  - %s %s: %s.\n", word, strings.Join(where, ", "), t)
	}
}
