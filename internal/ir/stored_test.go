package ir_test

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestGroups: components of one field that share an exponent are of one group.
func TestGroups(t *testing.T) {
	k, err := ir.Parse("kernel K() {\nint i32\nfield @X [f32 f32] [4] stored [\"float(5,9) shared 0 0 of 3\" \"float(5,9) shared 0 1 of 3\"]\n" +
		"field @Y [f32] [4] stored [\"float(5,9) shared 0 2 of 3\"]\nbody {\nreturn\n}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	g := k.Fields[0].Stored[0].Group
	if g == nil || g != k.Fields[0].Stored[1].Group || g != k.Fields[1].Stored[0].Group {
		t.Errorf("the groups are %v, %v and %v", g, k.Fields[0].Stored[1].Group, k.Fields[1].Stored[0].Group)
	}
}
