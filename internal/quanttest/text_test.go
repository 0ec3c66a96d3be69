package quanttest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestText looks at the code that LLVM makes, and at what it is given: a loop that encodes goes in vectors, and |= is one
// instruction.
func TestText(t *testing.T) {
	llvmtest.Code(t)
	const source = "package x\n\nvar (\n\tX, Y field[f32]\n\tK, M field[u32]\n)\n\nfunc Encode() {\n\tfor p := range X {\n\t\tX[p] = Y[p]\n\t}\n}\n\nfunc Or() {\n\tfor p := range 4096 {\n\t\tK[p*p%4096] |= 1\n\t}\n}\n"
	rt := newRuntime(t, titest.OnProcessors(t, ti.Config{Threads: 2}))
	var s struct {
		X, Y       ti.Field[float32]
		K, M       ti.Field[uint32]
		Encode, Or func()
	}
	n := rt.NewTree().Dense(ti.I, 4096)
	n.BitStruct(32).Place(&s.X, ti.QuantFixed(16, 8))
	rt.NewTree().Dense(ti.I, 4096).BitStruct(32).Place(&s.K, ti.QuantInt(12).Unsigned()).Place(&s.M, ti.QuantInt(20).Unsigned())
	rt.Place(ti.Shape{4096}, &s.Y)
	prog, err := rt.Compile(ti.Text("x.ti", source), &s)
	if err != nil {
		t.Fatal(err)
	}
	s.Encode()
	s.Or()
	dump := func(name, stage string) string {
		var text strings.Builder
		if err := prog.Kernel(name).Dump(&text, stage); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	// How many numbers a vector has is the processor's.
	text := dump("Encode", "opt")
	for _, want := range []string{`bitcast <\d+ x float> %\d+ to <\d+ x i32>`, `store <\d+ x i32>`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("Encode has no %s:\n%s", want, text)
		}
	}
	text = dump("Or", "llvm")
	if n := strings.Count(text, "atomicrmw or "); n != 1 || strings.Contains(text, "cmpxchg") {
		t.Errorf("Or has %d atomicrmw or:\n%s", n, text)
	}
}
