package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// StrategyStage is the name of the stage that prints [Strategy].
const StrategyStage = "strategy"

// Strategy returns a text for users about the decisions for a kernel: the tasks that split makes, in their order, and then the
// look-ups that access lowering makes for accesses to sparse trees. K is in no usable state afterwards.
func Strategy(k *ir.Kernel, opts Options) (text string, err error) {
	var notes note.Notes
	opts.strategy = func(t string) { text += t }
	opts.Notes, opts.Until = &notes, "access"
	if err := Run(k, opts); err != nil {
		return "", err
	}
	first := true
	var printed []note.Note
	for _, n := range notes.List {
		again := func(m note.Note) bool { return m.Pos == n.Pos && m.Text == n.Text }
		if !n.Lookup() || slices.ContainsFunc(printed, again) { // copies of a loop's body mostly have the same remarks
			continue
		}
		if first {
			text += "\nlook-ups:\n"
			first = false
		}
		printed = append(printed, n)
		text += fmt.Sprintf("\tline %d: %s\n", n.Pos.Line, strings.TrimPrefix(n.Text, "look-up: "))
	}
	return text, nil
}
