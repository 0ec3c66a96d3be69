package fold

import (
	"context"
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// edges returns numbers of kind k at which ops have special cases.
func edges(k ir.Kind) (bits []uint64) {
	if k.IsFloat() {
		for _, x := range []float64{
			0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7, 1e-40, 1e10, -1e10, 2147483648, 4294967296,
			0x1p63, 0x1.8p63, 0x1p64, -0x1p63, 3e38, math.Inf(1), math.Inf(-1), math.NaN(), 0x1.fffffep+23, 16777217,
		} {
			bits = append(bits, ir.FloatBits(k, x))
		}
		return bits
	}
	if k == ir.Bool {
		return []uint64{0, 1}
	}
	for _, n := range []int64{
		0, 1, -1, 2, -2, 3, 7, -8, 31, 32, 63, 64, 100, 127, -128, 255, math.MaxInt32, math.MinInt32, math.MaxUint32,
		math.MaxInt64, math.MinInt64, 1<<53 + 1, 16777217,
	} {
		b := ir.IntBits(k, n)
		bits = append(bits, b)
	}
	return bits
}

var allKinds = []ir.Kind{
	ir.Bool, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.F16, ir.F32, ir.F64,
}

// TestFold compares the folding of every pure scalar op with the oracle, for
// every kind of operand and pairs of edge values.
func TestFold(t *testing.T) {
	for _, code := range ir.Codes() {
		info := code.Info()
		if !code.Is(ir.Pure) || info.Min < 1 || info.Max > 3 || info.Rule == ir.RulePtr || code == ir.OpSplat || code == ir.OpShuffle || code == ir.OpSlide || code == ir.OpPack || code == ir.OpLane ||
			code == ir.OpRsqrtEst || code == ir.OpScale || code == ir.OpAny || code == ir.OpAll || code == ir.OpTotal || code == ir.OpBits || code == ir.OpLookup || code == ir.OpCall || code == ir.OpEntry || code == ir.OpListMask {
			continue
		}
		for _, k := range allKinds {
			if info.Domain.Allows(k) {
				foldAgainstOracle(t, code, k)
			}
		}
	}
}

func foldAgainstOracle(t *testing.T, code ir.Code, k ir.Kind) {
	args := []ir.Kind{k, k, k}[:code.Info().Min]
	results := []ir.Kind{k}
	switch code {
	case ir.OpConvert:
		results = allKinds
	case ir.OpBitcast:
		results = nil
		for _, to := range allKinds {
			if to.Bits() == k.Bits() {
				results = append(results, to)
			}
		}
	case ir.OpSelect:
		args[0] = ir.Bool
	case ir.OpShl, ir.OpShr:
		for _, count := range []ir.Kind{ir.I8, ir.U64} {
			foldKinds(t, code, []ir.Kind{k, count}, k)
		}
	}
	if code.Info().Rule == ir.RuleBool {
		results = []ir.Kind{ir.Bool}
	}
	for _, r := range results {
		foldKinds(t, code, args, r)
	}
}

// foldKinds compares for operands and a result of the given kinds.
func foldKinds(t *testing.T, code ir.Code, args []ir.Kind, result ir.Kind) {
	k := &ir.Kernel{Name: "K", Int: ir.I32, Results: []ir.Kind{result}, Body: &ir.Block{}}
	b := ir.NewBuilder(k.Body)
	var params []*ir.Value
	for i, a := range args {
		k.Params = append(k.Params, &ir.Param{Name: string(rune('a' + i)), Kind: a, Comps: 1, Slot: i})
		o := ir.NewOp(ir.OpParam, ir.Pos{}, []ir.Type{ir.Scalar(a)})
		o.Aux = int64(i)
		params = append(params, b.Emit(o))
	}
	b.Return(b.OpOf(code, ir.Scalar(result), params...))
	prog, err := oracle.New(k)
	if err != nil {
		t.Fatal(err)
	}
	var values [3][]uint64
	for i := range values {
		if values[i] = []uint64{0}; i < len(args) {
			values[i] = edges(args[i])
		}
	}
	for _, x := range values[0] {
		for _, y := range values[1] {
			for _, z := range values[2] {
				foldOnce(t, prog, code, args, result, []uint64{x, y, z}[:len(args)])
			}
		}
	}
}

func foldOnce(t *testing.T, prog *oracle.Program, code ir.Code, args []ir.Kind, result ir.Kind, values []uint64) {
	block := &ir.Block{}
	b := ir.NewBuilder(block)
	var vs []*ir.Value
	for i, bits := range values {
		vs = append(vs, b.Const(ir.Scalar(args[i]), bits))
	}
	got, ok := Op(b.OpOf(code, ir.Scalar(result), vs...).Def)
	if !ok {
		t.Fatalf("%s of %v to %s is not folded", code, args, result)
	}
	res, err := prog.Run(context.Background(), &oracle.Env{Args: values})
	if err != nil {
		t.Fatal(err)
	}
	want := res.Values[0]
	if got == want {
		return
	}
	if result.IsFloat() {
		g, w := ir.FloatValue(result, got), ir.FloatValue(result, want)
		if g != g && w != w {
			return
		}
	}
	t.Errorf("%s of %x (%v) to %s: folded to %x, the oracle gives %x", code, values, args, result, got, want)
}
