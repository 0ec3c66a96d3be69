package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// StrategyStage is the name of the stage whose text is that of [Strategy].
const StrategyStage = "strategy"

// Strategy returns what is decided of a kernel, for people: the tasks that split makes, in
// their order, and then, of accesses to sparse trees, the look-ups that access lowering makes
// for them. K is of no use then.
func Strategy(k *ir.Kernel, opts Options) (text string, err error) {
	var notes note.Notes
	opts.strategy = func(t string) { text += t }
	opts.Notes, opts.Until = &notes, "access"
	if err := Run(k, opts); err != nil {
		return "", err
	}
	first := true
	var told []note.Note
	for _, n := range notes.List {
		again := func(m note.Note) bool { return m.Pos == n.Pos && m.Text == n.Text }
		if !n.Lookup() || slices.ContainsFunc(told, again) { // copies of a loop's body agree as a rule
			continue
		}
		if first {
			text += "\nlook-ups:\n"
			first = false
		}
		told = append(told, n)
		text += fmt.Sprintf("\tline %d: %s\n", n.Pos.Line, strings.TrimPrefix(n.Text, "look-up: "))
	}
	return text, nil
}
