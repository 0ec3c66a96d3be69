package program

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// ofIntegers are statements that set r of an integer type T to a function of a and b, and f, d, h of the float types.
var ofIntegers = []string{
	"r = a + b*a - b", "r = a / b", "r = a % b", "r = mod(a, b)", "r = floorDiv(a, b)", "r = pow(a, b)", "r = pow(a, 3)",
	"r = a << (b & 7)", "r = a >> (b & 7)", "r = a &^ b | a ^ b", "r = popcount(a) + clz(b)", "r = min(a, b) + max(a, b)", "r = clamp(a, b, 100)",
	"r = abs(a) + sign(b) + sqr(a)", "r = ifelse(equal(a, b), a, b)", "r = sum(vec(a, b)) + product(vec(a, b)) + minOf(vec(a, b)) + maxOf(vec(a, b))",
	"r = T(any(vec(a, b) > 3)) + T(all(vec(a, b) > 3))", "r = random(T)",
	"f = f32(a)", "d = f64(a)", "h = f16(a)", "r = T(f)", "r = T(d)", "r = T(h)", "r = T(isnan(f)) + T(isinf(d)) + T(isnan(h))",
	"R[i&3] += a", "R[i&3] -= a", "r = atomicMin(&R[i&3], a)", "r = atomicMax(&R[i&3], a)", "r = atomicXor(&R[i&3], a)", "r = atomicLoad(&R[i&3])", "atomicStore(&R[i&3], a)",
}

// ofFloats are statements beside those of sameBits.
var ofFloats = []string{
	"r = min(a, b)/c", "R[i&3] += a", "R[i&3] *= a", "r = atomicMin(&R[i&3], a)", "r = atomicMax(&R[i&3], a)", "r = atomicLoad(&R[i&3])", "atomicStore(&R[i&3], a)", "r = T(f32(a)) + T(f64(b)) + T(f16(c))", "r = hadamard(m2(a, b, c, a), m2(c, b, a, a))[0][1]",
	"r = ifelse(isnan(a) || isinf(b), a, b)", "r = T(f32(rgba(vec(f32(a), 0, 0))))", "r = bitcast[T](bitcast[W](a) ^ 1)", "r = maxOf(vec(a, b)) + minOf(vec(a, b))",
}

// levelsSource is a program of a kernel with a loop for each statement. Those of one loop become vectors.
func levelsSource(kind string, statements []string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "package p\n\ntype T = %s\n", kind)
	word := map[string]string{"f16": "u16", "f32": "u32", "f64": "u64"}[kind]
	if word != "" {
		fmt.Fprintf(&w, "type W = %s\n", word)
	}
	w.WriteString("var A, B, C, R, S, U field[T, D1]\nvar F field[f32, D1]\nvar D field[f64, D1]\nvar H field[f16, D1]\n")
	w.WriteString("func m2(a, b, c, d T) [2][2]T { return [2][2]T{{a, b}, {c, d}} }\n")
	w.WriteString("func m3(a, b, c, d, e, f, g, h, i T) [3][3]T { return [3][3]T{{a, b, c}, {d, e, f}, {g, h, i}} }\n\n")
	w.WriteString("func K() {\n")
	for _, text := range statements {
		fmt.Fprintf(&w, "for i := range A {\n _ = i\n")
		for _, name := range []string{"a", "b", "c", "f", "d", "h"} {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
				fmt.Fprintf(&w, "%s := %s[i]\n", name, strings.ToUpper(name))
			}
		}
		written := ""
		for i, name := range []string{"r", "s", "t"} {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
				fmt.Fprintf(&w, "var %s T\n", name)
				written += fmt.Sprintf("%c[i] = %s\n", "RSU"[i], name)
			}
		}
		for _, name := range []string{"f", "d", "h"} {
			if strings.HasPrefix(text, name+" = ") {
				written += fmt.Sprintf("%s[i] = %s\n", strings.ToUpper(name), name)
			}
		}
		w.WriteString(text + "\n" + written + "}\n")
	}
	w.WriteString("}\n")
	return w.String()
}

// TestLevels compiles each builtin and operator for every type, in loops that become vectors, for each level of processors: code
// that calls what is defined nowhere is an error.
func TestLevels(t *testing.T) {
	llvmtest.Needs(t)
	var levels []string
	for _, l := range ahead.Usual() {
		levels = append(levels, l.String())
	}
	floats := append([]string{}, ofFloats...)
	for _, c := range sameBits {
		floats = append(floats, c.text)
	}
	for kind, level := range map[string]func(t *testing.T, source string, levels []string){
		"i8": compileFor[int8], "i16": compileFor[int16], "i32": compileFor[int32], "i64": compileFor[int64],
		"u8": compileFor[uint8], "u16": compileFor[uint16], "u32": compileFor[uint32], "u64": compileFor[uint64],
		"f16": compileFor[ti.Float16], "f32": compileFor[float32], "f64": compileFor[float64],
	} {
		all := ofIntegers
		if kind[0] == 'f' {
			all = floats
		}
		t.Run(kind, func(t *testing.T) {
			var turn []string
			for _, text := range all {
				if randtest.All() || randtest.Turn(kind+text)%40 == 0 || kind == "f32" && strings.Contains(text, "fma") {
					turn = append(turn, text)
				}
			}
			level(t, levelsSource(kind, turn), levels)
		})
	}
}

// compileFor launches a kernel K, which is recorded for all levels.
func compileFor[T any](t *testing.T, source string, levels []string) {
	defer runtest.Setenv("TI_RECORD", t.TempDir())()
	defer runtest.Setenv("TI_RECORD_FOR", strings.Join(levels, ","))()
	rt, _ := runtest.Variant{Label: "levels", Arch: ti.LLVM, Opt: "3", Threads: 1}.NewRuntime(t)
	defer rt.Close()
	var h struct {
		A, B, C, R, S, U ti.Field[T]
		F                ti.Field[float32]
		D                ti.Field[float64]
		H                ti.Field[ti.Float16]
	}
	for _, f := range []*ti.Field[T]{&h.A, &h.B, &h.C, &h.R, &h.S, &h.U} {
		*f = *ti.NewField[T](rt, 100)
	}
	h.F, h.D, h.H = *ti.NewField[float32](rt, 100), *ti.NewField[float64](rt, 100), *ti.NewField[ti.Float16](rt, 100)
	p, err := rt.Compile(ti.Text("levels.ti", source), &h)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	if _, err := p.Kernel("K").Launch(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestLevelsOfAll checks that there is a statement with each builtin that computes.
func TestLevelsOfAll(t *testing.T) {
	text := strings.Join(ofIntegers, "\n") + strings.Join(ofFloats, "\n")
	for _, c := range sameBits {
		text += c.text + "\n"
	}
	const left = "activate append assert assumeInRange atomicAdd atomicAnd atomicCAS atomicOr atomicSub atomicXchg clear col cols config deactivate diag isActive len loopUnique ndrange print printf reduce rescaleIndex resize serial span static staticAssert staticPrint stopGrad transpose unit"
	for _, name := range check.BuiltinNames() {
		used := regexp.MustCompile(`\b` + name + `\b[\[(]`).MatchString(text)
		if used == strings.Contains(" "+left+" ", " "+name+" ") {
			t.Errorf("%s: there is a statement with it: %v", name, used)
		}
	}
}
