package llvm

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestChosenProcessor chooses each processor that there is a name for. Either code is made for it, or the
// machine or the library lacks something that the error names.
func TestChosenProcessor(t *testing.T) {
	for _, c := range Find() {
		l, err := Open(c.Path)
		if err != nil {
			continue
		}
		t.Setenv(EnvPath, c.Path)
		made := 0
		for _, name := range Processors(runtime.GOARCH) {
			t.Setenv(EnvProcessor, name)
			as, err := Default()
			if err != nil {
				var bad *ProcessorError
				if !errors.As(err, &bad) || !errors.Is(err, ErrProcessor) || !strings.Contains(err.Error(), "lacks") && !strings.Contains(err.Error(), "does not know") {
					t.Errorf("%s, %s: %v", c.Path, name, err)
				}
				continue
			}
			made++
			if as.HostCPU() != name || as.Machine() != l.HostCPU() || as.Path() != l.Path() {
				t.Errorf("%s: code is for %s on a %s, by %s", name, as.HostCPU(), as.Machine(), as.Path())
			}
			if again, err := Default(); again != as || err != nil || Resume(as.Host()) != as {
				t.Errorf("%s: another library each time (%v)", name, err)
			}
			mine, err := l.Key(nil, Options{})
			other, err2 := as.Key(nil, Options{})
			if err != nil || err2 != nil || string(mine) == string(other) {
				t.Errorf("%s: code has the key of the machine's own: %v, %v", name, err, err2)
			}
		}
		if made == 0 {
			t.Errorf("%s makes code for none", c.Path)
		}
		for _, name := range []string{"z80", "x86-64-V3"} {
			t.Setenv(EnvProcessor, name)
			if _, err := Default(); !errors.Is(err, ErrProcessor) || !strings.Contains(err.Error(), Processors(runtime.GOARCH)[0]) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestChosenFeatures asks LLVM whether it knows a processor's name, and whether the features of the table are what
// decides on the instructions that are used: the same code comes of a name with them and without.
func TestChosenFeatures(t *testing.T) {
	const probe = `
declare float @llvm.fma.f32(float, float, float)
declare <8 x i16> @llvm.ctpop.v8i16(<8 x i16>)
define <16 x i32> @wide(<16 x i32> %a, <16 x i32> %b) { %c = mul <16 x i32> %a, %b ret <16 x i32> %c }
define float @fused(float %a, float %b) { %c = call float @llvm.fma.f32(float %a, float %b, float %a) ret float %c }
define <8 x i16> @bits(<8 x i16> %a) { %c = call <8 x i16> @llvm.ctpop.v8i16(<8 x i16> %a) ret <8 x i16> %c }
define i64 @turn(i64 %a, i64 %n) { %c = shl i64 %a, %n ret i64 %c }`
	for _, c := range Find() {
		l, err := Open(c.Path)
		if err != nil {
			continue
		}
		for _, p := range chosen {
			if p.since > l.Version().Major || !l.Makes(p.arch) {
				continue
			}
			as := l.For(Processor{Arch: p.arch, CPU: p.name})
			plain, err := as.Assembly(Options{OptLevel: 3}, Source{Text: probe})
			if err != nil {
				t.Fatal(err)
			}
			with, err := as.Assembly(Options{OptLevel: 3, CPU: p.name, Features: p.features}, Source{Text: probe})
			if err != nil || with != plain {
				t.Errorf("%s, %s: the features that are listed are not its own (%v):\n%s\nand with them\n%s", c.Path, p.name, err, plain, with)
			}
		}
	}
}

// TestChosenNames has another process compile for all processors: what LLVM says of a name that it does not
// know goes to standard error.
func TestChosenNames(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChosenFeatures$")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "not a recognized") {
		t.Errorf("%v\n%s", err, out)
	}
}
