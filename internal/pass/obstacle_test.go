package pass

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// What keeps a loop from packets is said in the words of the source: each op with an
// effect has such words, and none is called by its name in the IR.
func TestObstacles(t *testing.T) {
	handled := map[ir.Code]bool{ // by fits, and ops that are gone or not there yet when it looks
		ir.OpIf: true, ir.OpFor: true, ir.OpLoop: true, ir.OpBlock: true, ir.OpContinue: true, ir.OpBreak: true, ir.OpYield: true,
		ir.OpLoad: true, ir.OpStore: true, ir.OpCall: true, ir.OpLookup: true, ir.OpParFor: true, ir.OpFieldFor: true,
		ir.OpIteration: true, ir.OpPrefetch: true, ir.OpPoll: true,
	}
	for _, c := range ir.Codes() {
		if c.Is(ir.Pure) || handled[c] {
			continue
		}
		why, ok := obstacles[c]
		if !ok {
			t.Errorf("op %v has no words", c)
		}
		if strings.Contains(why, " op ") || strings.Contains(why, c.String()+" ") && len(c.String()) > 6 {
			t.Errorf("op %v is called by its name: %s", c, why)
		}
	}
}
