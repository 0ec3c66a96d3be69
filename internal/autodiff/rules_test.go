package autodiff

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// Every op has a rule, or a reason why it needs none, and not both.
func TestEveryOpHasARule(t *testing.T) {
	for _, c := range ir.Codes() {
		if r := ruleOf(c); (r.times == nil) == (r.why == "") {
			t.Errorf("%s has no rule and no reason, or both", c)
		}
	}
}
