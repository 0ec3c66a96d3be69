package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/fold"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// TestNarrowPlaces computes distances by random arithmetic, for indices with which they come out within 4 GiB: those in 32 bits are the same, whatever the
// numbers between are.
func TestNarrowPlaces(t *testing.T) {
	changed := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := distances(r)
		k := parsed(t, text, 0)
		index, n := r.Int64N(1000), int64(r.Uint64())>>r.IntN(64)
		// What is missing to a distance within 4 GiB is added.
		target := r.Int64N(1 << 32)
		k = parsed(t, text, target-distanceIn(t, k.Tasks[0], index, n))
		if got := distanceIn(t, k.Tasks[0], index, n); got != target {
			t.Fatalf("seed %d: the distance is %d, and %d is meant", seed, got, target)
		}
		before := k.String()
		if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Layout: passtest.Layout{}, Target: passtest.CPU(0)}, "narrow"); err != nil {
			t.Fatal(err)
		}
		if k.String() != before {
			changed++
		}
		if got := distanceIn(t, k.Tasks[0], index, n); got != target {
			t.Fatalf("seed %d, index %d and %d: the distance is %d, want %d:\n%s", seed, index, n, got, target, k)
		}
	}
	if changed < 1500 {
		t.Errorf("%d kernels have changed", changed)
	}
}

func parsed(t *testing.T, text string, missing int64) *ir.Kernel {
	t.Helper()
	k, err := ir.Parse(strings.Replace(text, "MISSING", fmt.Sprint(missing), 1))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return k
}

// distances writes a kernel that loads from a place. The constant MISSING is added to its distance from the base.
func distances(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("kernel K(n: i64) {\nint i32\nfield @X [f32] [1024] origin [0]\nbases [0]\nframe 0 done -1\ntask 0 \"t\" loop 1 i32 [0, 1000) {\nprologue {\n%n = param 0 : i64\n%x = base 0 : ptr\nyield\n}\nbody(%i: i32) {\n")
	b.WriteString("%u = bitcast %i : u32\n%c = convert %u : i64\n%z = convert %n : i16\n%v0 = convert %i : i64\n%v1 = add %n, %c : i64\n%v2 = convert %z : i64\n")
	last := 2
	one := func(format string, args ...any) {
		last++
		fmt.Fprintf(&b, "%%v%d = "+format+" : i64\n", append([]any{last}, args...)...)
	}
	any := func() string { return fmt.Sprintf("%%v%d", max(r.IntN(last+1), r.IntN(last+1))) }
	constant := func() string {
		one("const %d", []int64{4, 1000, -4, -1 << 40, math.MaxInt32, math.MinInt32, 1 << 32, r.Int64()}[r.IntN(8)])
		return fmt.Sprintf("%%v%d", last)
	}
	for range 2 + r.IntN(10) {
		switch op := []string{"add", "sub", "mul", "and", "or", "xor", "min", "max", "shl", "shr", "div", "rem", "select", "not", "neg"}[r.IntN(15)]; op {
		case "shl", "shr":
			a := any()
			one("const %d", r.IntN(70))
			one("%s %s, %%v%d", op, a, last)
		case "div", "rem":
			a := any()
			one("const %d", 1+r.IntN(1000))
			one("%s %s, %%v%d", op, a, last)
		case "select":
			fmt.Fprintf(&b, "%%b%d = lt %s, %s : bool\n", last, any(), any())
			one("select %%b%d, %s, %s", last, any(), any())
		case "not", "neg":
			one("%s %s", op, any())
		default:
			a, c := any(), any()
			if r.IntN(2) == 0 {
				c = constant()
			}
			one("%s %s, %s", op, a, c)
		}
	}
	fmt.Fprintf(&b, "%%p = offset %%x, %%v%d : ptr\n%%m = const MISSING : i64\n%%q = offset %%p, %s : ptr\n%%r = offset %%q, %%m : ptr\n%%l = load %%r : f32\n", last, any())
	b.WriteString("store %r, %l\ncontinue\n}\nepilogue {\nyield\n}\n}\n}\n")
	return b.String()
}

// distanceIn computes how far the task's load is from its base.
func distanceIn(t *testing.T, task *ir.Task, index, n int64) (d int64) {
	t.Helper()
	var bits func(v *ir.Value) uint64
	bits = func(v *ir.Value) uint64 {
		o := v.Def
		switch {
		case o == nil:
			return uint64(index)
		case o.Code == ir.OpParam:
			return uint64(n)
		case o.Code == ir.OpConst:
			return o.Bits
		}
		copied := ir.NewOp(o.Code, o.Pos, []ir.Type{v.Type})
		for _, a := range o.Args {
			c := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{a.Type})
			c.Bits = bits(a)
			copied.Args = append(copied.Args, c.Results[0])
		}
		result, ok := fold.Op(copied)
		if !ok {
			t.Fatalf("%s has no result", o.Code)
		}
		return result
	}
	ir.Visit(task.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpLoad {
			for p := o.Args[0].Def; p.Code == ir.OpOffset; p = p.Args[0].Def {
				d += int64(bits(p.Args[1]))
			}
		}
		return true
	})
	return d
}
