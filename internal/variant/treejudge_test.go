//go:build !ti_ahead

package variant

import (
	"go/token"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/oracle/ontree"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// A launch is told from one on the typed tree by each thing that it gives.
func TestTreeJudge(t *testing.T) {
	at := ir.Pos{Line: 3, Col: 4}
	printed := &ir.Site{Site: site.Site{Kind: site.Print, Text: []site.Piece{{Text: "x"}, {Verb: "%v", Kind: ir.I32}}}}
	memory := oracle.Cells{}
	memory.Store([]int64{2}, 0, 1<<64-5)
	trial := func() (*treeTrial, *oracle.Result) {
		own := &overlay{rank: 1, kinds: []typed.Scalar{typed.I32}, cells: map[oracle.Key]uint64{}}
		own.Store([]int64{2}, 0, 1<<32-5)
		a := make([]byte, 4)
		return &treeTrial{
			in:      &interpreter{v: &Variant{Kernel: &Kernel{Name: "F"}}, k: &ir.Kernel{Files: []string{"p.ti"}, Fields: []*ir.Field{{Name: "X"}}}, memory: []oracle.Memory{memory}},
			fields:  map[string]*overlay{"X": own},
			slices:  []sliceCopy{{"s", a, append([]byte(nil), a...), typed.MemoryOf(typed.F32), []typed.Scalar{typed.F32}}},
			results: []typed.Scalar{typed.I8, typed.F64},
			records: []treeRecord{{printed, 1, []uint64{7}}},
			exact:   true,
			tree: &ontree.Result{
				Values:   []uint64{0xff, 0},
				First:    &ontree.Failure{Pos: token.Position{Filename: "p.ti", Line: 3, Column: 4}, Kind: ontree.BadIndex, What: "X", Index: []int64{9}, Shape: []int64{4}, Loop: []int64{1}},
				Outputs:  []ontree.Output{{Format: []typed.TextPart{{Text: "x"}, {Verb: "%v", Kind: typed.I32}}, Number: 1, Values: []uint64{7}}},
				Failures: 1,
			},
		}, &oracle.Result{Values: []uint64{1<<64 - 1, 0}, Failure: &oracle.Failure{Pos: at, What: "X", Index: []int64{9}, Shape: []int64{4}, Loop: []int64{1}, Count: 2}}
	}
	tr, r := trial()
	if err := tr.compare(r); err != nil {
		t.Error(err)
	}
	for what, spoil := range map[string]func(tr *treeTrial, r *oracle.Result){
		"component 0 of X[2]":    func(tr *treeTrial, _ *oracle.Result) { tr.fields["X"].Store([]int64{2}, 0, 5) },
		"component 0 of X[3]":    func(tr *treeTrial, _ *oracle.Result) { tr.fields["X"].Store([]int64{3}, 0, 1) },
		"component 0 of s[0]":    func(tr *treeTrial, _ *oracle.Result) { tr.slices[0].own[2] = 1 },
		"component 1 of the res": func(_ *treeTrial, r *oracle.Result) { r.Values[1] = 1 << 63 },
		"2 prints":               func(tr *treeTrial, _ *oracle.Result) { tr.records = append(tr.records, tr.records[0]) },
		"print 0":                func(tr *treeTrial, _ *oracle.Result) { tr.records[0].values[0] = 8 },
		"does not fail":          func(_ *treeTrial, r *oracle.Result) { r.Failure = nil },
		"and not that":           func(tr *treeTrial, _ *oracle.Result) { tr.tree.First = nil },
		"fails first":            func(_ *treeTrial, r *oracle.Result) { r.Failure.Pos.Col = 5 },
		"fails first at":         func(_ *treeTrial, r *oracle.Result) { r.Failure.Index = []int64{8} },
	} {
		tr, r := trial()
		spoil(tr, r)
		if err := tr.compare(r); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
}

// viewed is memory that does not move.
var viewed = [8]int32{1, 2, 3, -1, 4, 5, 6, -1}

// A view is copied with its strides, and the copy is the tree's own.
func TestCopyView(t *testing.T) {
	host := viewed[:]
	args := []uint64{uint64(uintptr(unsafe.Pointer(&host[0]))), 2, 3, 4}
	c, err := copyView("V", typed.View{Elem: typed.I32, Rank: 2}, args)
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	say := func(format string, _ ...any) { wrong = append(wrong, format) }
	if c.compare(say); wrong != nil || c.own.Load([]int64{1, 2}, 0) != 6 {
		t.Errorf("the copy is %v", c.own.cells)
	}
	host[3] = 7 // between two rows
	if c.compare(say); wrong != nil {
		t.Error("a gap is compared")
	}
	host[4] = 9
	if c.compare(say); len(wrong) != 1 {
		t.Errorf("%d differences", len(wrong))
	}
}
