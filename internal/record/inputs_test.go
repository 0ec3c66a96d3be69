package record

import (
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// TestInputs takes accesses of two runs, which differ in what some elements held.
func TestInputs(t *testing.T) {
	at := func(k site.Kind, what string) launch.Site {
		return launch.Site{Site: site.Site{Kind: k, What: what, Shape: []int64{8}}}
	}
	w := &Watched{Kernel: "K", Sites: []launch.Site{at(site.Read, "X"), at(site.Write, "X"), at(site.Update, "X"), at(site.Read, "Y")},
		Fields: []WatchedField{{Number: 1}, {Number: 1}, {Number: 1}, {Number: 2}}}
	const readX, writeX, updateX, readY = 0, 1, 2, 3
	type touch struct {
		site int
		at   uint64
		held uint64
	}
	run := func(room int64, launches [][]touch) *Inputs {
		in := NewInputs(room)
		for _, all := range launches {
			in.Begin(w)
			for _, a := range all {
				in.Touch(a.site, []uint64{0, 0, 0, 0, a.at}, func(int64, []uint64) uint64 { return a.held })
			}
		}
		return in
	}
	const room = 1 << 20
	for _, c := range []struct {
		name     string
		was, is  [][]touch
		field    int64 // 0 for none
		inLaunch int
	}{
		{"the same", [][]touch{{{readX, 1, 5}, {readY, 2, 6}}}, [][]touch{{{readY, 2, 6}, {readX, 1, 5}, {readX, 1, 9}}}, 0, 0},
		{"another value", [][]touch{{{readX, 1, 5}}, {{readY, 2, 6}}}, [][]touch{{{readX, 1, 5}}, {{readY, 2, 7}}}, 2, 2},
		{"another element", [][]touch{{{readX, 1, 5}}}, [][]touch{{{readX, 2, 5}}}, 1, 1},
		{"values changed places", [][]touch{{{readX, 1, 5}, {readX, 2, 6}}}, [][]touch{{{readX, 1, 6}, {readX, 2, 5}}}, 1, 1},
		{"nothing read", [][]touch{{{readX, 1, 5}}}, [][]touch{{}}, 1, 1},
		{"stored to before", [][]touch{{{writeX, 1, 5}, {readX, 1, 0}}}, [][]touch{{{writeX, 1, 8}, {readX, 1, 1}}}, 0, 0},
		{"added to", [][]touch{{{updateX, 1, 5}}}, [][]touch{{{updateX, 1, 8}}}, 0, 0},
		{"added to, then read", [][]touch{{{updateX, 1, 5}}, {{readX, 1, 7}}}, [][]touch{{{updateX, 1, 8}}, {{readX, 1, 7}}}, 1, 2},
		{"added to, then read, the same", [][]touch{{{updateX, 1, 5}}, {{readX, 1, 7}}}, [][]touch{{{updateX, 1, 5}}, {{readX, 1, 8}}}, 0, 0},
		{"the first of two", [][]touch{{{readY, 1, 5}}, {{readX, 1, 7}}}, [][]touch{{{readY, 1, 6}}, {{readX, 1, 8}}}, 2, 1},
	} {
		f := run(room, c.is).Differs(run(room, c.was))
		switch {
		case f == nil && c.field != 0 || f != nil && f.Number != c.field:
			t.Errorf("%s: the field is %v, want %d", c.name, f, c.field)
		case f != nil && f.Launch != c.inLaunch:
			t.Errorf("%s: launch %d, want %d", c.name, f.Launch, c.inLaunch)
		}
	}
	var many []touch
	for i := range uint64(4096) {
		many = append(many, touch{readX, i * blockCells, 1})
	}
	if short, had := run(1<<10, [][]touch{many}).Short(); !short || had != 1<<10 {
		t.Errorf("with little room: %v, %d bytes", short, had)
	}
	if short, _ := run(room, [][]touch{{{readX, 1, 5}}}).Short(); short {
		t.Error("one element has no room")
	}
}
