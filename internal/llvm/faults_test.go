package llvm

import (
	"fmt"
	"strings"
	"testing"
)

// narrowIndex is a loop that narrows its index to compute an address. %s is what it does with the narrow
// index %t for the address, and then with the narrow index and the number %v that it reads.
const narrowIndex = `
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
define void @f(ptr noalias %%p, ptr noalias %%o, i64 %%lo, i64 %%hi) {
entry:
  br label %%loop
loop:
  %%i = phi i64 [ %%lo, %%entry ], [ %%n, %%loop ]
  %%t = trunc i64 %%i to i32
  %s
  %%w = zext i32 %%a to i64
  %%from = getelementptr i8, ptr %%p, i64 %%w
  %%v = load i8, ptr %%from
  %s
  %%to = getelementptr i8, ptr %%o, i64 %%i
  store i8 %%r, ptr %%to
  %%n = add nsw i64 %%i, 1
  %%more = icmp slt i64 %%n, %%hi
  br i1 %%more, label %%loop, label %%done
done:
  ret void
}
`

// TestEpilogueIndex has each library make vectors of loops that narrow their index, and of the rest. No vector
// of the rest may count from the first index of the loop where vectors went before it.
func TestEpilogueIndex(t *testing.T) {
	addresses := []string{
		"%a = call i32 @llvm.smin.i32(i32 %t, i32 33)",
		"%b = mul i32 %t, 3\n  %a = and i32 %b, 31",
		"%c = icmp slt i32 %t, 20\n  %a = select i1 %c, i32 %t, i32 7",
		"%a = srem i32 %t, 7",
	}
	values := []string{
		"%r = add i8 %v, 1",
		"%x = trunc i32 %t to i8\n  %r = add i8 %v, %x",
		"%z = zext i8 %v to i32\n  %m = call i32 @llvm.smax.i32(i32 %z, i32 %t)\n  %r = trunc i32 %m to i8",
	}
	each(t, func(t *testing.T, l *Lib) {
		found := 0
		for _, p := range []Processor{{Arch: "amd64", CPU: "x86-64-v2"}, {Arch: "amd64", CPU: "x86-64-v3"}, {Arch: "arm64", CPU: "generic"}} {
			if !l.Makes(p.Arch) {
				continue
			}
			for i, address := range addresses {
				for j, value := range values {
					text, err := l.For(p).Optimize(Options{Passes: []string{"function(loop-vectorize)"}}, Source{Text: fmt.Sprintf(narrowIndex, address, value)})
					if err != nil {
						t.Fatal(err)
					}
					restarts, entered := epilogueOf(text)
					if restarts {
						found++
					}
					if restarts && entered {
						t.Errorf("%s, address %d, value %d: the rest starts with the first index again:\n%s", p.CPU, i, j, text)
					}
				}
			}
		}
		if l.Version().restartsIndex() && found == 0 {
			t.Error("no loop shows the fault that the library is said to have")
		}
	})
}

// epilogueOf reports whether the loop of the rest in an optimised text starts with the first index of all, and
// whether it is entered behind the loop of long vectors.
func epilogueOf(text string) (restarts, entered bool) {
	_, check, _ := strings.Cut(text, "\nvec.epilog.iter.check:")
	check, _, _ = strings.Cut(check, "\n\n")
	_, ph, _ := strings.Cut(text, "\nvec.epilog.ph:")
	ph, _, _ = strings.Cut(ph, "\n\n")
	_, body, _ := strings.Cut(text, "\nvec.epilog.vector.body:")
	body, _, _ = strings.Cut(body, "\n\n")
	return strings.Contains(body, "%vec.ind") && !strings.Contains(ph, "%bc.resume.val"), !strings.Contains(check, "br i1 true, label %vec.epilog.scalar.ph")
}

// TestMayHaveEpilogue looks for epilogues where the library reports a loop of vectors, if they are long enough.
func TestMayHaveEpilogue(t *testing.T) {
	for remark, want := range map[string]bool{
		"<unknown>:0:0: vectorized loop (vectorization width: 8, interleaved count: 4)":          false,
		"<unknown>:0:0: vectorized loop (vectorization width: 16, interleaved count: 1)":         true,
		"<unknown>:0:0: vectorized loop (vectorization width: vscale x 4, interleaved count: 1)": true,
		"<unknown>:0:0: interleaved loop (interleaved count: 2)":                                 false,
	} {
		if got := mayHaveEpilogue(remark); got != want {
			t.Errorf("%s: got %v", remark, got)
		}
	}
}

// elementwise is a loop over numbers of %[1]d bits.
const elementwise = `
define void @f(ptr noalias %%p, ptr noalias %%o, i64 %%lo, i64 %%hi) {
entry:
  br label %%loop
loop:
  %%i = phi i64 [ %%lo, %%entry ], [ %%n, %%loop ]
  %%from = getelementptr i%[1]d, ptr %%p, i64 %%i
  %%v = load i%[1]d, ptr %%from
  %%r = add i%[1]d %%v, 1
  %%to = getelementptr i%[1]d, ptr %%o, i64 %%i
  store i%[1]d %%r, ptr %%to
  %%n = add nsw i64 %%i, 1
  %%more = icmp slt i64 %%n, %%hi
  br i1 %%more, label %%loop, label %%done
done:
  ret void
}
`

// TestShortVectors has each library make vectors of each length. Those that [mayHaveEpilogue] rules out have no epilogue on any
// processor, where the library has the fault; others may have some.
func TestShortVectors(t *testing.T) {
	each(t, func(t *testing.T, l *Lib) {
		faulty := l.Version().restartsIndex()
		short, epilogues := 0, 0
		for _, p := range []Processor{{Arch: "amd64", CPU: "x86-64-v2"}, {Arch: "amd64", CPU: "x86-64-v3"}, {Arch: "amd64", CPU: "x86-64-v4"}, {Arch: "arm64", CPU: "generic"}} {
			if !l.Makes(p.Arch) {
				continue
			}
			for bits := 8; bits <= 64; bits *= 2 {
				text, err := l.For(p).Optimize(Options{Passes: []string{"function(loop-vectorize)"}}, Source{Text: fmt.Sprintf(elementwise, bits)})
				if err != nil {
					t.Fatal(err)
				}
				_, body, _ := strings.Cut(text, "\nvector.body:")
				_, load, found := strings.Cut(body, "load <")
				if !found {
					continue
				}
				long := mayHaveEpilogue("vectorized loop (vectorization width: " + load[:strings.Index(load, " ")])
				if !long {
					short++
				}
				if strings.Contains(text, "\nvec.epilog.iter.check:") {
					epilogues++
					if !long && faulty {
						t.Errorf("%s: a loop of %d bits has an epilogue:\n%s", p.CPU, bits, text)
					}
				}
			}
		}
		if short == 0 || epilogues == 0 {
			t.Errorf("%d loops have short vectors and %d an epilogue", short, epilogues)
		}
	})
}

// inserted writes one number twice to the first of eight.
const inserted = `
define void @f(ptr %p, i16 %v) {
  %once = insertelement <8 x i16> zeroinitializer, i16 %v, i16 0
  %twice = insertelement <8 x i16> %once, i16 0, i16 %v
  store <8 x i16> %twice, ptr %p
  ret void
}
`

// TestNoHalves compiles what LLVM 15 has no instruction for on processors with arithmetic of 16-bit floats, unless it is told to do without.
func TestNoHalves(t *testing.T) {
	each(t, func(t *testing.T, l *Lib) {
		features := hostFeatures(featuresIce+",+avx512fp16,+avx512bf16", "linux", "amd64")
		if _, err := l.For(Processor{Arch: "amd64", CPU: "sapphirerapids", Features: features}).Assembly(Options{OptLevel: 3}, Source{Text: inserted}); err != nil {
			t.Error(err)
		}
	})
}
