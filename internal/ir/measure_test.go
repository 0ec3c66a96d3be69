package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// counting is a kernel that counts what it stores, but for its body, in which %w is a number of a site, %d one of another site.
const counting = `kernel Counting(w: f32, d: f64) {
	int i32
	field @X [f32] [8] origin [0]
	field @Y [f64] [8] origin [0]
	field @"ranges:counts" [i64] [6]
	field @"ranges:ends" [i64] [8]
	field @"ranges:sums" [f64] [2]
	field @"ranges:exponents" [i64] [%d]
	measured #0 @X f32
	measured #1 @Y f64
	body {
		%%0 = param 0 : f32
		%%1 = param 1 : f64
		%%2 = const 1 : i64
		%%3 = const 127 : u32
		%%4 = const true : bool
%s		return
	}
}
`

// TestVerifyTally has tallies with operands that they take and with others. Those that are verified print as they are.
func TestVerifyTally(t *testing.T) {
	const exponents = 2048 + 4096
	for _, c := range []struct {
		op, want string
		size     int
	}{
		{"tally #0 %0", "", exponents},
		{"tally #1 %1", "", exponents},
		{"tally #0 %0, %0, %0, %0, %0", "", exponents},
		{"tally.least #0 %0", "", exponents},
		{"tally.largesterror #1 %1", "", exponents},
		{"tally.clamped #0 %4", "", exponents},
		{"tally.absorbed #0 %2", "", exponents},
		{"tally.numbers #0 %3, %2", "", exponents},
		{"tally.errors #0 %3, %2, %3", "", exponents},
		{"tally #2 %0", "no measured site 2", exponents},
		{"tally #0 %1", "operands of tally.all at a site whose numbers are counted as f32", exponents},
		{"tally #1 %0", "counted as f64", exponents},
		{"tally #0 %0, %0, %0", "operands of tally.all", exponents},
		{"tally.sum #0 %0, %0", "operands of tally.sum", exponents},
		{"tally.flushed #0 %0", "operands of tally.flushed", exponents},
		{"tally.numbers #0 %3", "operands of tally.numbers", exponents},
		{"tally.numbers #0 %3, %3", "operands of tally.numbers", exponents},
		{"tally.strict #0 %0", "cannot have the flags", exponents},
		{"tally #0 %0", "no fields of the kernel with a number for each", exponents - 1},
	} {
		text := fmt.Sprintf(counting, c.size, "\t\t"+c.op+"\n")
		k, err := ir.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		switch err := ir.Verify(k); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.op, err)
		case c.want == "" && k.String() != text:
			t.Errorf("%s prints otherwise:\n%s", c.op, firstDifference(k.String(), text))
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: the error is %v, not %q", c.op, err, c.want)
		}
	}
	if _, err := ir.Parse(fmt.Sprintf(counting, exponents, "\t\ttally.most #0 %0\n")); err == nil {
		t.Error("a part that is none is parsed")
	}
}
