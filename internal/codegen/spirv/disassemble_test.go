package spirv

import (
	"math"
	"strings"
	"testing"
)

// TestDisassemble: each instruction in its form, numbers of all types included. TestValid of internal/vulkan has spirv-as read the text of whole modules.
func TestDisassemble(t *testing.T) {
	words := []uint32{Magic, versionWord, 0, 100, 0}
	add := func(op uint32, operands ...uint32) { words = emit(words, op, operands...) }
	add(opCapability, CapFloat64)
	add(opExtInstImport, append([]uint32{1}, text("GLSL.std.450")...)...)
	add(opDecorate, 7, builtIn, 29)
	add(opDecorate, 7, 77, 5)
	add(opTypeInt, 2, 64, 0)
	add(opTypeFloat, 3, 32)
	add(opTypeFloat, 4, 64)
	add(opConstant, 2, 10, 5, 1)
	for i, f := range []float32{1.5, -3, float32(math.Inf(-1)), float32(math.NaN()), 1e-45} {
		add(opConstant, 3, uint32(20+i), math.Float32bits(f))
	}
	for i, f := range []float64{0.1, math.Inf(1), math.NaN()} {
		add(opConstant, 4, uint32(30+i), uint32(math.Float64bits(f)), uint32(math.Float64bits(f)>>32))
	}
	add(opExtInst, 3, 40, 1, extSqrt, 20)
	add(opLoad, 3, 41, 40, 2, 4)
	add(opStore, 41, 20)
	add(opReturn)
	want := `OpCapability Float64
%1 = OpExtInstImport "GLSL.std.450"
OpDecorate %7 BuiltIn LocalInvocationIndex
OpDecorate %7 77 5
%2 = OpTypeInt 64 0
%3 = OpTypeFloat 32
%4 = OpTypeFloat 64
%10 = OpConstant %2 4294967301
%20 = OpConstant %3 0x1.8p+00
%21 = OpConstant %3 -0x1.8p+01
%22 = OpConstant %3 -0x1p+128
%23 = OpConstant %3 0x1.8p+128
%24 = OpConstant %3 0x1p-149
%30 = OpConstant %4 0x1.999999999999ap-04
%31 = OpConstant %4 0x1p+1024
%32 = OpConstant %4 0x1.8000000000001p+1024
%40 = OpExtInst %3 %1 Sqrt %20
%41 = OpLoad %3 %40 Aligned 4
OpStore %41 %20
OpReturn
`
	if got := disassemble(words); got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("line %d is %q, want %q", i, g[i], w[i])
			}
		}
		t.Fatalf("%s", got)
	}
	for op, name := range names {
		if layout, own := layouts[op]; own && strings.Trim(layout, "trinsvxodkAMEOCSFL*") != "" {
			t.Errorf("%s has the layout %s", name, layout)
		}
	}
}
