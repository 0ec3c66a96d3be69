package wasm

import (
	"strings"
	"sync"
)

// An immediate says what follows the number of an instruction.
type immediate uint8

const (
	immNone   immediate = iota
	immMemory           // alignment and offset of an access
	immLane             // the number of a lane
	immMemoryLane
	immBlock    // the type of a block
	immLabel    // how many blocks out a jump goes
	immLabels   // a list of them
	immIndex    // the number of a local or a function
	immI32      // constants
	immI64      //
	immF32      //
	immF64      //
	immV128     //
	immShuffle  // 16 numbers of bytes
	immZero     // a byte of 0
	immZeroZero // two of them
)

// An instruction is a row of the instruction set.
type instruction struct {
	name      string
	code      uint32 // with its prefix, if it has one, in the bits from 16 on
	immediate immediate
	align     uint32 // of an access: the binary logarithm of its bytes
}

// Prefixes of the extensions.
const (
	prefixMisc   = 0xfc << 16
	prefixVector = 0xfd << 16
	prefixAtomic = 0xfe << 16
)

const (
	compareInts   = " eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
	compareFloats = " eq ne lt gt le ge"
	computeInts   = " clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr"
	computeFloats = " abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
)

// The instruction set, in runs of consecutive numbers. A word without a dot belongs to the type that was named last; a - stands for a
// number that code here never uses.
var runs = []struct {
	first uint32
	imm   immediate
	names string
}{
	{0x00, immNone, "unreachable nop"},
	{0x02, immBlock, "block loop if"},
	{0x05, immNone, "else"},
	{0x0b, immNone, "end"},
	{0x0c, immLabel, "br br_if"},
	{0x0e, immLabels, "br_table"},
	{0x0f, immNone, "return"},
	{0x10, immIndex, "call"},
	{0x1a, immNone, "drop select"},
	{0x20, immIndex, "local.get local.set local.tee"},
	{0x28, immMemory, "i32.load i64.load f32.load f64.load i32.load8_s load8_u load16_s load16_u i64.load8_s load8_u load16_s load16_u load32_s load32_u"},
	{0x36, immMemory, "i32.store i64.store f32.store f64.store i32.store8 store16 i64.store8 store16 store32"},
	{0x41, immI32, "i32.const"},
	{0x42, immI64, "i64.const"},
	{0x43, immF32, "f32.const"},
	{0x44, immF64, "f64.const"},
	{0x45, immNone, "i32.eqz" + compareInts + " i64.eqz" + compareInts + " f32." + compareFloats[1:] + " f64." + compareFloats[1:]},
	{0x67, immNone, "i32." + computeInts[1:] + " i64." + computeInts[1:] + " f32." + computeFloats[1:] + " f64." + computeFloats[1:]},
	{0xa7, immNone, "i32.wrap_i64 trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"},
	{0xac, immNone, "i64.extend_i32_s extend_i32_u trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"},
	{0xb2, immNone, "f32.convert_i32_s convert_i32_u convert_i64_s convert_i64_u demote_f64"},
	{0xb7, immNone, "f64.convert_i32_s convert_i32_u convert_i64_s convert_i64_u promote_f32"},
	{0xbc, immNone, "i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64"},
	{0xc0, immNone, "i32.extend8_s extend16_s i64.extend8_s extend16_s extend32_s"},

	{prefixMisc, immNone, "i32.trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u i64.trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u"},
	{prefixMisc | 0x0a, immZeroZero, "memory.copy"},
	{prefixMisc | 0x0b, immZero, "memory.fill"},

	{prefixVector, immMemory, "v128.load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u load8_splat load16_splat load32_splat load64_splat store"},
	{prefixVector | 0x0c, immV128, "v128.const"},
	{prefixVector | 0x0d, immShuffle, "i8x16.shuffle"},
	{prefixVector | 0x0e, immNone, "i8x16.swizzle splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat"},
	{prefixVector | 0x15, immLane, "i8x16.extract_lane_s extract_lane_u replace_lane i16x8.extract_lane_s extract_lane_u replace_lane i32x4.extract_lane replace_lane i64x2.extract_lane replace_lane f32x4.extract_lane replace_lane f64x2.extract_lane replace_lane"},
	{prefixVector | 0x23, immNone, "i8x16." + compareInts[1:] + " i16x8." + compareInts[1:] + " i32x4." + compareInts[1:] + " f32x4." + compareFloats[1:] + " f64x2." + compareFloats[1:]},
	{prefixVector | 0x4d, immNone, "v128.not and andnot or xor bitselect any_true"},
	{prefixVector | 0x54, immMemoryLane, "v128.load8_lane load16_lane load32_lane load64_lane store8_lane store16_lane store32_lane store64_lane"},
	{prefixVector | 0x5c, immMemory, "v128.load32_zero load64_zero"},
	{prefixVector | 0x5e, immNone, "f32x4.demote_f64x2_zero f64x2.promote_low_f32x4"},
	{prefixVector | 0x60, immNone, "i8x16.abs neg popcnt all_true bitmask narrow_i16x8_s narrow_i16x8_u f32x4.ceil floor trunc nearest i8x16.shl shr_s shr_u add - - sub - - f64x2.ceil floor i8x16.min_s min_u max_s max_u f64x2.trunc"},
	{prefixVector | 0x80, immNone, "i16x8.abs neg - all_true bitmask narrow_i32x4_s narrow_i32x4_u extend_low_i8x16_s extend_high_i8x16_s extend_low_i8x16_u extend_high_i8x16_u shl shr_s shr_u add - - sub - - f64x2.nearest i16x8.mul min_s min_u max_s max_u"},
	{prefixVector | 0xa0, immNone, "i32x4.abs neg - all_true bitmask - - extend_low_i16x8_s extend_high_i16x8_s extend_low_i16x8_u extend_high_i16x8_u shl shr_s shr_u add - - sub - - - mul min_s min_u max_s max_u"},
	{prefixVector | 0xc0, immNone, "i64x2.abs neg - all_true bitmask - - extend_low_i32x4_s extend_high_i32x4_s extend_low_i32x4_u extend_high_i32x4_u shl shr_s shr_u add - - sub - - - mul eq ne lt_s gt_s le_s ge_s"},
	{prefixVector | 0xe0, immNone, "f32x4.abs neg - sqrt add sub mul div min max pmin pmax f64x2.abs neg - sqrt add sub mul div min max pmin pmax"},
	{prefixVector | 0xf8, immNone, "i32x4.trunc_sat_f32x4_s trunc_sat_f32x4_u f32x4.convert_i32x4_s convert_i32x4_u i32x4.trunc_sat_f64x2_s_zero trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s convert_low_i32x4_u"},

	{prefixAtomic | 0x03, immZero, "atomic.fence"},
	{prefixAtomic | 0x10, immMemory, "i32.atomic.load i64.atomic.load i32.atomic.load8_u i32.atomic.load16_u i64.atomic.load8_u i64.atomic.load16_u i64.atomic.load32_u"},
	{prefixAtomic | 0x17, immMemory, "i32.atomic.store i64.atomic.store i32.atomic.store8 i32.atomic.store16 i64.atomic.store8 i64.atomic.store16 i64.atomic.store32"},
	{prefixAtomic | 0x1e, immMemory, updates("add") + updates("sub") + updates("and") + updates("or") + updates("xor") + updates("xchg") + updates("cmpxchg")},
}

// updates are the names of the atomics of all widths that do the same.
func updates(what string) string {
	return strings.ReplaceAll("i32.atomic.rmw.@ i64.atomic.rmw.@ i32.atomic.rmw8.@_u i32.atomic.rmw16.@_u i64.atomic.rmw8.@_u i64.atomic.rmw16.@_u i64.atomic.rmw32.@_u ", "@", what)
}

// A set is the instruction set, by names and by numbers.
type set struct {
	byName map[string]instruction
	byCode map[uint32]instruction
}

var instructionSet = sync.OnceValue(func() *set {
	s := &set{map[string]instruction{}, map[uint32]instruction{}}
	for _, r := range runs {
		typ := ""
		for n, name := range strings.Fields(r.names) {
			if before, _, named := strings.Cut(name, "."); named {
				typ = before
			} else if typ != "" {
				name = typ + "." + name
			}
			i := instruction{name: name, code: r.first + uint32(n), immediate: r.imm}
			if r.imm == immMemory || r.imm == immMemoryLane {
				i.align = alignment(name)
			}
			s.byName[name], s.byCode[i.code] = i, i
		}
	}
	return s
})

// alignment is the binary logarithm of how many bytes an instruction accesses.
func alignment(name string) uint32 {
	typ, what, _ := strings.Cut(name, ".")
	for _, part := range []string{"8x8", "16x4", "32x2", "64"} {
		if strings.Contains(what, part) {
			return 3
		}
	}
	for i, bits := range []string{"8", "16", "32"} {
		if strings.Contains(what, bits) {
			return uint32(i)
		}
	}
	return map[string]uint32{"i32": 2, "f32": 2, "i64": 3, "f64": 3, "v128": 4}[typ]
}
