package tally

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
)

// TestShapes has a meter count a store of an f32, and all that it appends known again by its shape: otherwise counting is slower, and no
// other test notices.
func TestShapes(t *testing.T) {
	k, err := ir.Parse("kernel K(w: f32, old: f32, now: f32) {\nint i32\nfield @X [f32] [4]\nbody {\n%w = param 0 : f32\n%old = param 1 : f32\n%now = param 2 : f32\n" +
		"%i = const 0 : i32\n%p = ptr @X.0 %i : ptr\nstore %p, %w\nreturn\n}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	k.Measure = ir.NewMeasure(k, map[*ir.Field][]bool{k.Fields[0]: {true}})
	k.Measure.AddCounters(k)
	w, old, now := k.Body.Ops[0].Results[0], k.Body.Ops[1].Results[0], k.Body.Ops[2].Results[0]
	format, err := quant.Parse("fixed(20,8)")
	if err != nil {
		t.Fatal(err)
	}
	block := &ir.Block{}
	NewMeter(k, ir.NewBuilder(block), nil).Stored(0, quant.New(format, ir.F32), false, w, old, now)

	var e *ir.Value // the error
	for _, o := range block.Ops {
		if o.Code == ir.OpSub && o.Args[0] == now {
			e = o.Results[0]
		}
	}
	codes := map[ir.AtomicKind]ir.Code{ir.AtomicAdd: ir.OpAdd, ir.AtomicMin: ir.OpMin, ir.AtomicMax: ir.OpMax}
	found := map[string]int{}
	var exponents []*ir.Value
	for _, o := range block.Ops {
		if v := o.Result(); v != nil && Exponent(v) != nil {
			exponents = append(exponents, Exponent(v))
		}
		if o.Code != ir.OpAtomic || o.Args[0].Def.Field == k.Measure.Exponents {
			continue
		}
		u := Update{codes[o.Atomic], o.Args[1]}
		of, end := u.End()
		c := u.Condition()
		switch {
		case of == w:
			found[[...]string{Least: "least", Largest: "largest", Smallest: "smallest"}[end]]++
		case u.LargestError() == e:
			found["largest error"]++
		case u.SumOfErrors() == e:
			found["sum of errors"]++
		case c == nil:
			t.Errorf("no shape is known of atomic.%v", o.Atomic)
		case Absorbed(c, w, now) == old:
			found["absorbed"]++
		default:
			lo, hi := Clamped(c, w)
			flo, fhi, flushed := Flushed(c, w, now)
			switch {
			case lo != nil && hi != nil:
				found["clamped"]++
			case flushed && flo != nil && fhi != nil:
				found["flushed"]++
			}
		}
	}
	for _, what := range []string{"least", "largest", "smallest", "largest error", "sum of errors", "absorbed", "clamped", "flushed"} {
		if found[what] != 1 {
			t.Errorf("%d updates have the shape of %q", found[what], what)
		}
	}
	if len(exponents) != 2 || exponents[0] != w || exponents[1] != e {
		t.Errorf("exponents are found of %v, not of w and its error", exponents)
	}
}
