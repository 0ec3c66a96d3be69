package pass

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// TestObstacles checks that each op with an effect has a description for the note that it
// keeps a loop from packets, in words of the source and without the op's name in the IR.
func TestObstacles(t *testing.T) {
	handled := map[ir.Code]bool{ // ops that fits handles, or that do not occur when it runs
		ir.OpIf: true, ir.OpFor: true, ir.OpLoop: true, ir.OpBlock: true, ir.OpContinue: true, ir.OpBreak: true, ir.OpYield: true,
		ir.OpLoad: true, ir.OpStore: true, ir.OpCall: true, ir.OpLookup: true, ir.OpParFor: true, ir.OpFieldFor: true,
		ir.OpIteration: true, ir.OpPrefetch: true, ir.OpPoll: true, ir.OpTally: true, ir.OpPart: true,
	}
	for _, c := range ir.Codes() {
		if c.Is(ir.Pure) || handled[c] {
			continue
		}
		why, ok := note.Obstacles[c]
		if !ok {
			t.Errorf("op %v has no words", c)
		}
		if strings.Contains(why.String(), " op ") || strings.Contains(why.String(), c.String()+" ") && len(c.String()) > 6 {
			t.Errorf("op %v is called by its name: %s", c, why)
		}
	}
}
