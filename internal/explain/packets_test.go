package explain

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// TestNoPacketsBesideVectors checks that a note why a loop has no packets is left out where
// LLVM has vectorised the loop.
func TestNoPacketsBesideVectors(t *testing.T) {
	at := func(line uint32) ir.Pos { return ir.Pos{Line: line, Col: 2} }
	k := &ir.Kernel{Name: "K"}
	for line := uint32(1); line <= 2; line++ {
		k.Tasks = append(k.Tasks, &ir.Task{Name: string('a' + rune(line)), Pos: at(line), Dims: make([]ir.Dim, 1), Body: &ir.Block{}})
	}
	body := "define void @b(ptr %c) {\nvector.body:\n  %a = load <8 x float>, ptr %p\n}\n\ndefine void @c(ptr %c) {\ngo:\n  ret void\n}\n"
	code := &Code{LLVM: body, Sizes: map[string]int{"b": 10, "c": 10}, Name: func(t *ir.Task) string { return t.Name }}
	notes := []note.Note{{Pos: at(1), Of: []note.Reason{note.NoPackets}}, {Pos: at(2), Of: []note.Reason{note.NoPackets}}, {Pos: at(1), Text: "other"}}
	r := Analyse(k, notes, code)
	if len(r.Notes) != 2 || r.Notes[0].Pos != at(2) || r.Notes[1].Text != "other" {
		t.Errorf("the notes are %+v, of tasks %+v", r.Notes, r.Tasks)
	}
}
