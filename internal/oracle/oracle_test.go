package oracle_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// parseConst parses a constant as the text form has it.
func parseConst(t *testing.T, kind, text string) uint64 {
	t.Helper()
	k, err := ir.Parse("kernel K() " + kind + " {\nint i32\nbody {\n%c = const " + text + " : " + kind + "\nreturn %c\n}\n}")
	if err != nil {
		t.Fatal(err)
	}
	return k.Body.Ops[0].Bits
}

// eval runs one op on constants.
func eval(t *testing.T, op, from, to string, args ...string) uint64 {
	t.Helper()
	text := "kernel K() " + to + " {\nint i32\nbody {\n"
	names := ""
	for i, a := range args {
		text += fmt.Sprintf("%%c%d = const %s : %s\n", i, a, from)
		if i > 0 {
			names += ", "
		}
		names += fmt.Sprintf("%%c%d", i)
	}
	text += "%r = " + op + " " + names + " : " + to + "\nreturn %r\n}\n}"
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := oracle.Run(context.Background(), k, &oracle.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Values[0]
}

func TestArithmetic(t *testing.T) {
	type args = []string
	for _, c := range []struct {
		op, kind string
		args     args
		to, want string
	}{
		{"add", "i8", args{"127", "1"}, "i8", "-128"},
		{"sub", "u16", args{"0", "1"}, "u16", "65535"},
		{"mul", "i32", args{"65536", "65536"}, "i32", "0"},
		{"mul", "i64", args{"4611686018427387904", "2"}, "i64", "-9223372036854775808"},
		{"neg", "i8", args{"-128"}, "i8", "-128"},
		{"neg", "u32", args{"1"}, "u32", "4294967295"},
		{"neg", "f32", args{"0"}, "f32", "-0"},
		{"not", "u8", args{"1"}, "u8", "254"},
		{"not", "i32", args{"0"}, "i32", "-1"},
		{"not", "bool", args{"true"}, "bool", "false"},
		{"abs", "i16", args{"-32768"}, "i16", "-32768"},
		{"abs", "i16", args{"-7"}, "i16", "7"},
		{"abs", "u8", args{"200"}, "u8", "200"},
		{"abs", "f64", args{"-0"}, "f64", "0"},
		{"sign", "i32", args{"-5"}, "i32", "-1"},
		{"sign", "u32", args{"4000000000"}, "u32", "1"},
		{"sign", "f32", args{"-2.5"}, "f32", "-1"},
		{"sign", "f32", args{"nan:7fc00000"}, "f32", "nan:7fc00000"},
		{"div", "i32", args{"7", "-2"}, "i32", "-3"},
		{"div", "i32", args{"7", "0"}, "i32", "0"},
		{"div", "i8", args{"-128", "-1"}, "i8", "-128"},
		{"div", "i64", args{"-9223372036854775808", "-1"}, "i64", "-9223372036854775808"},
		{"div", "u32", args{"4294967295", "2"}, "u32", "2147483647"},
		{"div", "f32", args{"1", "0"}, "f32", "inf"},
		{"rem", "i32", args{"-7", "3"}, "i32", "-1"},
		{"rem", "i32", args{"-7", "0"}, "i32", "0"},
		{"rem", "i8", args{"-128", "-1"}, "i8", "0"},
		{"rem", "f64", args{"-7.5", "2"}, "f64", "-1.5"},
		{"floordiv", "i32", args{"-7", "2"}, "i32", "-4"},
		{"floordiv", "i32", args{"7", "-2"}, "i32", "-4"},
		{"floordiv", "i32", args{"-8", "2"}, "i32", "-4"},
		{"floordiv", "f32", args{"-7", "2"}, "f32", "-4"},
		{"mod", "i32", args{"-7", "3"}, "i32", "2"},
		{"mod", "i32", args{"7", "-3"}, "i32", "-2"},
		{"mod", "u8", args{"7", "0"}, "u8", "0"},
		{"mod", "f32", args{"-7.5", "2"}, "f32", "0.5"},
		{"and", "i8", args{"-1", "12"}, "i8", "12"},
		{"or", "bool", args{"true", "false"}, "bool", "true"},
		{"xor", "u32", args{"5", "1"}, "u32", "4"},
		{"shl", "i32", args{"1", "31"}, "i32", "-2147483648"},
		{"shl", "i32", args{"1", "32"}, "i32", "0"},
		{"shl", "i32", args{"1", "-1"}, "i32", "0"},
		{"shr", "i32", args{"-8", "1"}, "i32", "-4"},
		{"shr", "i32", args{"-8", "100"}, "i32", "-1"},
		{"shr", "u8", args{"255", "8"}, "u8", "0"},
		{"shr", "u64", args{"18446744073709551615", "63"}, "u64", "1"},
		{"min", "i32", args{"-1", "1"}, "i32", "-1"},
		{"min", "u32", args{"4294967295", "1"}, "u32", "1"},
		{"min", "f32", args{"1", "nan:7fc00000"}, "f32", "nan:7fc00000"},
		{"max", "f64", args{"inf", "1"}, "f64", "inf"},
		{"max", "f64", args{"nan:7ff8000000000000", "inf"}, "f64", "nan:7ff8000000000000"},
		{"min", "f64", args{"-inf", "nan:7ff8000000000000"}, "f64", "nan:7ff8000000000000"},
		{"max", "i8", args{"-1", "1"}, "i8", "1"},
		{"popcount", "i8", args{"-1"}, "i8", "8"},
		{"popcount", "u64", args{"255"}, "u64", "8"},
		{"clz", "i32", args{"0"}, "i32", "32"},
		{"clz", "i8", args{"1"}, "i8", "7"},
		{"clz", "i16", args{"-1"}, "i16", "0"},
		{"sqrt", "f32", args{"2"}, "f32", "0x1.6a09e6p+00"},
		{"floor", "f32", args{"-0.5"}, "f32", "-1"},
		{"ceil", "f32", args{"0.5"}, "f32", "1"},
		{"round", "f32", args{"2.5"}, "f32", "3"},
		{"round", "f32", args{"-0.5"}, "f32", "-1"},
		{"round", "f32", args{"0x1.fffffep-02"}, "f32", "0"},
		{"trunc", "f32", args{"-1.9"}, "f32", "-1"},
		{"isnan", "f32", args{"nan:7fc00000"}, "bool", "true"},
		{"isinf", "f64", args{"-inf"}, "bool", "true"},
		{"exp", "f32", args{"1"}, "f32", "0x1.5bf0a8p+01"},
		{"pow", "f64", args{"2", "10"}, "f64", "1024"},
		{"atan2", "f64", args{"1", "1"}, "f64", "0x1.921fb54442d18p-01"},
		{"add", "f32", args{"16777216", "1"}, "f32", "16777216"},
		{"add", "f16", args{"2048", "1"}, "f16", "2048"},
		{"eq", "f32", args{"nan:7fc00000", "nan:7fc00000"}, "bool", "false"},
		{"ne", "f32", args{"nan:7fc00000", "1"}, "bool", "true"},
		{"eq", "f32", args{"0", "-0"}, "bool", "true"},
		{"lt", "i32", args{"-1", "0"}, "bool", "true"},
		{"lt", "u32", args{"4294967295", "0"}, "bool", "false"},
		{"le", "f32", args{"nan:7fc00000", "0"}, "bool", "false"},
		{"ge", "i64", args{"3", "3"}, "bool", "true"},
		{"gt", "u64", args{"18446744073709551615", "1"}, "bool", "true"},
		{"fma", "f64", args{"0x1.0000000000001p+00", "0x1.0000000000001p+00", "-0x1.0000000000002p+00"}, "f64", "0x1p-104"},
		{"fma", "f32", args{"0x1p-24", "0x1.000002p+00", "1"}, "f32", "0x1.000002p+00"}, // just above a tie
		{"fma", "f32", args{"0x1p-12", "0x1p-12", "1"}, "f32", "1"},                     // a tie
		// A little below a tie, which it is after rounding to double precision.
		{"fma", "f32", args{"0x1.00001p-12", "0x1.ffffep-13", "0x1.000002p+00"}, "f32", "0x1.000002p+00"},
		{"fma", "f32", args{"-0x1.00001p-12", "0x1.ffffep-13", "-0x1.000002p+00"}, "f32", "-0x1.000002p+00"},
	} {
		want := parseConst(t, c.to, c.want)
		if got := eval(t, c.op, c.kind, c.to, c.args...); got != want && !bothNaN(c.to, got, want) {
			t.Errorf("%s.%s %v = %#x, want %s (%#x)", c.op, c.kind, c.args, got, c.want, want)
		}
	}
}

// bothNaN reports whether x and y are NaNs of the kind called name, of any bits.
func bothNaN(name string, x, y uint64) bool {
	k, _ := ir.ParseKind(name)
	return k.IsFloat() && math.IsNaN(ir.FloatValue(k, x)) && math.IsNaN(ir.FloatValue(k, y))
}

func TestConversions(t *testing.T) {
	for _, c := range []struct{ op, from, arg, to, want string }{
		{"convert", "f32", "300", "i8", "127"},
		{"convert", "f32", "-300", "i8", "-128"},
		{"convert", "f32", "-1", "u32", "0"},
		{"convert", "f32", "5e9", "u32", "4294967295"},
		{"convert", "f32", "5e9", "i32", "2147483647"},
		{"convert", "f64", "1e30", "i64", "9223372036854775807"},
		{"convert", "f64", "-1e30", "i64", "-9223372036854775808"},
		{"convert", "f64", "1e30", "u64", "18446744073709551615"},
		{"convert", "f64", "1e19", "u64", "10000000000000000000"},
		{"convert", "f64", "inf", "i32", "2147483647"},
		{"convert", "f32", "nan:7fc00000", "i32", "0"},
		{"convert", "f32", "-1.9", "i32", "-1"},
		{"convert", "f32", "0.5", "bool", "true"},
		{"convert", "f32", "-0", "bool", "false"},
		{"convert", "f32", "nan:7fc00000", "bool", "true"},
		{"convert", "i32", "2", "bool", "true"},
		{"convert", "bool", "true", "f32", "1"},
		{"convert", "bool", "true", "i64", "1"},
		{"convert", "i32", "-1", "u8", "255"},
		{"convert", "i32", "-1", "u64", "18446744073709551615"},
		{"convert", "u32", "4294967295", "i32", "-1"},
		{"convert", "u32", "4294967295", "i64", "4294967295"},
		{"convert", "i8", "-1", "i64", "-1"},
		{"convert", "u64", "18446744073709551615", "f32", "18446744073709551616"},
		{"convert", "i64", "9007199791611905", "f32", "9007200328482816"}, // once, not by way of double
		{"convert", "f64", "1e300", "f32", "inf"},
		{"convert", "f32", "65520", "f16", "inf"},
		{"bitcast", "f32", "1", "u32", "1065353216"},
		{"bitcast", "f32", "-1", "i32", "-1082130432"},
		{"bitcast", "i64", "4607182418800017408", "f64", "1"},
		{"bitcast", "i32", "-1", "u32", "4294967295"},
	} {
		want := parseConst(t, c.to, c.want)
		if got := eval(t, c.op, c.from, c.to, c.arg); got != want {
			t.Errorf("%s %s %s to %s = %#x, want %s (%#x)", c.op, c.from, c.arg, c.to, got, c.want, want)
		}
	}
}

// The known answers that Random123 comes with (kat_vectors).
func TestThreefry(t *testing.T) {
	ones := [2]uint32{0xffffffff, 0xffffffff}
	pi := [2][2]uint32{{0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}}
	for _, c := range []struct {
		rounds             int
		counter, key, want [2]uint32
	}{
		{rounds: 13, want: [2]uint32{0x9d1c5ec6, 0x8bd50731}},
		{13, ones, ones, [2]uint32{0xfd36d048, 0x2d17272c}},
		{13, pi[0], pi[1], [2]uint32{0xba3e4725, 0xf27d669e}},
		{rounds: 20, want: [2]uint32{0x6b200159, 0x99ba4efe}},
		{20, ones, ones, [2]uint32{0x1cb996fc, 0xbb002be7}},
		{20, pi[0], pi[1], [2]uint32{0xc4923a9c, 0x483df7a0}},
	} {
		if got := oracle.Threefry(c.rounds, c.counter, c.key); got != c.want {
			t.Errorf("%d rounds: threefry(%x, %x) = %x, want %x", c.rounds, c.counter, c.key, got, c.want)
		}
	}
}

// The first two numbers that SplitMix64 gives from the seed 0.
func TestSpread(t *testing.T) {
	ratio := uint64(0x9e3779b97f4a7c15)
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4} {
		if got := oracle.Spread(ratio * uint64(i+1)); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}

const sum = `kernel Sum(n: i32, x: []f32) f32, i32 {
	int i32
	file "sum.ti"
	field @F [i32 f32] [2 3] origin [-1 0]
	table #0 T i32 [10 20 30]
	body {
		%zero = const 0 : i32
		%one = const 1 : i32
		%n = param 0 : i32
		%len = len $x : i32
		%s = alloc 1 x f32 : ptr
		^0: parfor 1 %zero, %n { (%i: i32)
			%p = elem $x.0 %i : ptr @0:3:7
			%v = load %p : f32
			%c = cell %s, %zero : ptr
			%old = atomic.add %c, %v : f32
			continue ^0
		}
		^1: fieldfor 2 @F { (%a: i32, %b: i32)
			%q = ptr @F.0 %a, %b : ptr
			%r = rand : u32
			%k = convert %r : i32
			store %q, %k
			%t = lookup #0 %b : i32
			%tf = convert %t : f32
			%q1 = ptr.dynamic @F.1/1 %a, %b, %zero : ptr
			store %q1, %tf
			continue ^1
		}
		^2: %fib, %next = for %zero, %n, %zero, %one : i32, i32 { (%j: i32, %f: i32, %g: i32)
			%h = add %f, %g : i32
			%big = gt %h, %len : bool
			if %big {
				break ^2 %f, %g
			} else {
				yield
			}
			continue ^2 %g, %h
		}
		^3: %count = loop %zero : i32 { (%m: i32)
			%m1 = add %m, %one : i32
			^4: block {
				%done = ge %m1, %fib : bool
				if %done {
					break ^3 %m1
				} else {
					break ^4
				}
				yield
			}
			continue ^3 %m1
		}
		%c2 = cell %s, %zero : ptr
		%total = load %c2 : f32
		return %total, %count
	}
}`

func TestKernel(t *testing.T) {
	k, err := ir.Parse(sum)
	if err != nil {
		t.Fatal(err)
	}
	data := binary.NativeEndian.AppendUint32(nil, math.Float32bits(1.5))
	data = binary.NativeEndian.AppendUint32(data, math.Float32bits(2.5))
	f := oracle.Cells{}
	env := &oracle.Env{
		Fields: []oracle.Memory{f}, Args: []uint64{5, 0, 0},
		Slices: []oracle.Slice{{}, {Data: data, Len: 2}}, Key: 0x1122334455667788,
	}
	r, err := oracle.Run(context.Background(), k, env)
	if err != nil {
		t.Fatal(err)
	}
	if got := math.Float32frombits(uint32(r.Values[0])); got != 4 {
		t.Errorf("the sum is %v", got)
	}
	if got := int32(r.Values[1]); got != 1 {
		t.Errorf("the count is %v", got)
	}
	loop, ratio := uint64(2), uint64(0x9e3779b97f4a7c15)
	spread := oracle.Spread(env.Key + loop*ratio)
	key := [2]uint32{uint32(spread), uint32(spread >> 32)}
	for a := range int64(2) {
		for b := range int64(3) {
			word := oracle.Threefry(13, [2]uint32{uint32(a*3 + b)}, key)[0]
			if got := uint32(f.Load([]int64{a - 1, b}, 0)); got != word {
				t.Errorf("F[%d][%d] = %#x, want %#x", a-1, b, got, word)
			}
			if got := math.Float32frombits(uint32(f.Load([]int64{a - 1, b}, 1))); got != float32(10*(b+1)) {
				t.Errorf("F[%d][%d].1 = %v", a-1, b, got)
			}
		}
	}
	e := r.Failure
	if e == nil || e.Count != 3 || e.What != "x" || e.Pos.Line != 3 ||
		!slices.Equal(e.Index, []int64{2}) || !slices.Equal(e.Shape, []int64{2}) || !slices.Equal(e.Loop, []int64{2}) {
		t.Errorf("the failure is %+v", e)
	}
}

func TestStops(t *testing.T) {
	k, err := ir.Parse("kernel K() {\nint i32\nbody {\n^0: loop {\ncontinue ^0\n}\nreturn\n}\n}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oracle.Run(context.Background(), k, &oracle.Env{MaxSteps: 1000}); !errors.Is(err, oracle.ErrSteps) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := oracle.Run(ctx, k, &oracle.Env{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRefuses(t *testing.T) {
	for _, text := range []string{
		"kernel K() {\nint i32\n}",
		"kernel K() {\nint i32\nbody {\n%k = base 0 : ptr\nreturn\n}\n}",
		"kernel K() {\nint i32\nbody {\n%k = const 0 : i32x4\nreturn\n}\n}",
	} {
		k, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := oracle.Run(context.Background(), k, &oracle.Env{}); err == nil {
			t.Errorf("%s is run", text)
		}
	}
}
