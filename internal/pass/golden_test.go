package pass

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

func TestGolden(t *testing.T) {
	passtest.Golden(t, func(k *ir.Kernel, o passtest.Options, stage string) error {
		return RunStage(k, Options{Options: o.Options, Layout: o.Layout, Target: o.Target}, stage)
	})
}

func TestOrder(t *testing.T) {
	if err := checkOrder(pipeline(), orders); err != nil {
		t.Error(err)
	}
	rows := []row{{name: "a"}, {name: "b"}}
	for _, c := range []struct {
		rows   []row
		orders []order
		want   string
	}{
		{rows, []order{{"a", "b", "why"}}, ""},
		{rows, []order{{"b", "a", "why"}}, `"b" must come before "a": why`},
		{rows, []order{{"a", "c", "why"}}, "not in the pass table"},
		{append(rows, rows[0]), nil, "twice"},
	} {
		err := checkOrder(c.rows, c.orders)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("checkOrder(%v) = %v, want %q", c.orders, err, c.want)
		}
	}
}
