package wasm

import (
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// This file replaces instructions that wazero 1.12.0 compiles wrongly on amd64 when registers are scarce.
//
// wazero makes several machine instructions of one of these, and they change a temporary register more than once. Its register allocator takes the register for one that is set once.
// So if it spills the register in between, it later reloads the first value. A replacement is safe if each temporary register that it changes is used by the next machine instruction.

// opposites are comparisons of lanes that are the negation of others.
var opposites = map[string]string{"ne": "eq", "gt_u": "le_u", "lt_u": "ge_u"}

// rewritten writes an instruction otherwise, if it has to be. Its operands are on the stack.
func (f *function) rewritten(name string) bool {
	switch name {
	case "v128.bitselect":
		f.bitselect()
	case "i64x2.mul":
		f.multiplyLongs()
	case "f32.copysign":
		f.copySign(f32, i32, 1<<31)
	case "f64.copysign":
		f.copySign(f64, i64, 1<<63)
	case "f32.convert_i64_u":
		f.convertUnsigned(f32)
	case "f64.convert_i64_u":
		f.convertUnsigned(f64)
	case "f64x2.convert_low_i32x4_u":
		f.widenUnsigned()
	case "i32x4.trunc_sat_f32x4_u":
		f.truncateLanes("f32x4", "i32.trunc_sat_f32_u", 4)
	case "i32x4.trunc_sat_f64x2_s_zero":
		f.truncateLanes("f64x2", "i32.trunc_sat_f64_s", 2)
	case "i32x4.trunc_sat_f64x2_u_zero":
		f.truncateLanes("f64x2", "i32.trunc_sat_f64_u", 2)
	default:
		return f.negated(name)
	}
	return true
}

// negated writes a comparison of lanes as the negation of the opposite one, if it has to be written otherwise.
func (f *function) negated(name string) bool {
	shape, compare, _ := strings.Cut(name, ".")
	other := opposites[compare]
	if shape == "i64x2" && (compare == "le_s" || compare == "ge_s") {
		other = map[string]string{"le_s": "gt_s", "ge_s": "lt_s"}[compare]
	}
	if other == "" || !strings.HasPrefix(shape, "i") || !strings.Contains(shape, "x") {
		return false
	}
	f.begin(shape + "." + other)
	f.begin("v128.not")
	return true
}

// bitselect takes the bits of the first vector where those of the third one are set, and those of the second one elsewhere.
func (f *function) bitselect() {
	mask := f.keep(v128)
	second := f.keep(v128)
	f.put(mask)
	f.begin("v128.and")
	f.put(second)
	f.put(mask)
	f.begin("v128.andnot")
	f.begin("v128.or")
}

// multiplyLongs multiplies lanes of 8 bytes one by one.
func (f *function) multiplyLongs() {
	b := f.keep(v128)
	a := f.keep(v128)
	product := func(lane int) {
		for _, x := range []operand{a, b} {
			f.put(x)
			f.onLane("i64x2.extract_lane", lane)
		}
		f.begin("i64.mul")
	}
	product(0)
	f.begin("i64x2.splat")
	product(1)
	f.onLane("i64x2.replace_lane", 1)
}

// copySign gives the first float the sign of the second one.
func (f *function) copySign(t, bits valType, sign uint64) {
	cast := bits.String() + ".reinterpret_" + t.String()
	f.begin(cast)
	f.number(bits, int64(sign)) // its bits
	f.begin(bits.String() + ".and")
	second := f.keep(bits)
	f.begin(cast)
	f.number(bits, int64(sign-1))
	f.begin(bits.String() + ".and")
	f.put(second)
	f.begin(bits.String() + ".or")
	f.begin(t.String() + ".reinterpret_" + bits.String())
}

// convertUnsigned makes a float of an unsigned number of 64 bits: of one with the highest bit, by the half, whose last bit stands for both that it had, so that it is rounded as the whole would be.
func (f *function) convertUnsigned(t valType) {
	x := f.keep(i64)
	f.put(x)
	f.number(i64, 1)
	f.begin("i64.shr_u")
	f.put(x)
	f.number(i64, 1)
	f.begin("i64.and")
	f.begin("i64.or")
	f.put(x)
	f.put(x)
	f.number(i64, 0)
	f.begin("i64.lt_s")
	high := f.keep(i32)
	f.put(high)
	f.begin("select")
	f.begin(t.String() + ".convert_i64_s")
	half := f.keep(t)
	f.put(half)
	f.put(half)
	f.real(t, 0)
	f.put(high)
	f.choose(t)
	f.begin(t.String() + ".add")
}

// widenUnsigned makes floats of 64 bits of the lower two unsigned words, by way of signed ones, which differ from them by 2³¹.
func (f *function) widenUnsigned() {
	f.bytes(fill(ir.U32, 1<<31, 4))
	f.begin("v128.xor")
	f.begin("f64x2.convert_low_i32x4_s")
	f.float(f64, 1<<31)
	f.begin("f64x2.splat")
	f.begin("f64x2.add")
}

// truncateLanes converts floats to words lane by lane; lanes beyond them are 0.
func (f *function) truncateLanes(shape, convert string, n int) {
	v := f.keep(v128)
	f.bytes([16]byte{})
	for i := range n {
		f.put(v)
		f.onLane(shape+".extract_lane", i)
		f.begin(convert)
		f.onLane("i32x4.replace_lane", i)
	}
}
