package wasm

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestInlined: in a loop a short function on vectors takes the place of its calls, behind it does not, and the task that was given stays as it was.
func TestInlined(t *testing.T) {
	calls := func(task *ir.Task) (n int) {
		ir.Visit(task.Body, func(o *ir.Op) bool {
			if o.Code == ir.OpCall {
				n++
			}
			return true
		})
		return n
	}
	for _, c := range flowCases {
		if c.name != "a function on vectors, twice in a loop and once behind it" {
			continue
		}
		task := parsed(t, fmt.Sprintf(flow, c.funcs, c.body)).Tasks[0]
		if got := calls(inlined(task)); got != 1 {
			t.Errorf("there are %d calls left, want 1", got)
		}
		if got := calls(task); got != 3 {
			t.Errorf("the task itself has %d calls, want 3", got)
		}
		return
	}
	t.Error("the case is gone")
}
