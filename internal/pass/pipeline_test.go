package pass

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/passtest"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/target"
)

// lowered returns the kernels that the tests of lowering expect.
func lowered(t *testing.T) (names, texts []string) {
	t.Helper()
	files, err := filepath.Glob("../lower/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if name, ok := strings.CutSuffix(f.Name, ".ir"); ok {
				names = append(names, strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name)
				texts = append(texts, string(f.Data))
			}
		}
	}
	return names, texts
}

// TestPipeline takes real kernels through all passes with the verifier on, in
// every mode, twice: the texts must be the same.
func TestPipeline(t *testing.T) {
	names, texts := lowered(t)
	for i, text := range texts {
		for _, opts := range []Options{{Options: option.Options{Level: 3}, Target: passtest.CPU(0)}, {Options: option.Options{Level: 3, Unchecked: true}, Target: passtest.CPU(0)}, {Target: passtest.CPU(0)}, {Options: option.Options{Level: 3}, Target: passtest.CPU(512)},
			{Options: option.Options{Level: 3}, Target: passtest.Alone(128)}, {Options: option.Options{Level: 3, ForceVectors: 4}, Target: passtest.Alone(512)}} {
			opts.Layout, opts.Verify = passtest.Layout{}, true
			var last string
			for range 2 {
				k, err := ir.Parse(text)
				if err != nil {
					t.Fatalf("%s: %v", names[i], err)
				}
				if err := Run(k, opts); err != nil {
					t.Errorf("%s: %v", names[i], err)
					break
				}
				if err := ir.VerifyLowered(k); err != nil {
					t.Errorf("%s: %v", names[i], err)
				}
				for _, b := range k.Blocks() {
					ir.Visit(b, func(o *ir.Op) bool {
						if o.Code.Is(ir.Math) {
							t.Errorf("%s: %s is left", names[i], o.Code)
						}
						return true
					})
				}
				if got := k.String(); last != "" && got != last {
					t.Errorf("%s: two runs give two texts", names[i])
				} else {
					last = got
				}
			}
		}
	}
}

// TestSwitches takes kernels through the pipeline without each part. A pass has a switch unless later forms need it. Unless all tests are
// to run, each part is switched off for every third kernel.
func TestSwitches(t *testing.T) {
	for _, r := range pipeline() {
		if r.required != (r.off == 0) {
			t.Errorf("stage %q: required is %v, its switch %q", r.name, r.required, r.off)
		}
	}
	if n := len(option.SwitchNames()); option.DeadStores != 1<<(n-1) {
		t.Errorf("%d names, and the last constant is %b", n, option.DeadStores)
	}
	names, texts := lowered(t)
	for i := range option.SwitchNames() {
		for n, text := range texts {
			if (i+n)%3 != 0 && !randtest.All() {
				continue
			}
			k, err := ir.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", names[n], err)
			}
			opts := Options{Options: option.Options{Level: 3, Verify: true, Without: 1 << i}, Layout: passtest.Layout{}, Target: passtest.CPU(256)}
			if err := Run(k, opts); err != nil {
				t.Errorf("%s without %s: %v", names[n], opts.Without, err)
			} else if err := ir.VerifyLowered(k); err != nil {
				t.Errorf("%s without %s: %v", names[n], opts.Without, err)
			}
		}
	}
}

// TestNeeds takes kernels through the pipeline for targets that lack one feature each: the passes that need it do not run, and the result
// is valid.
func TestNeeds(t *testing.T) {
	names, texts := lowered(t)
	for lacks := target.Features(1); lacks&target.All != 0; lacks <<= 1 {
		ran := map[string]bool{}
		for n, text := range texts {
			k, err := ir.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", names[n], err)
			}
			opts := Options{Options: option.Options{Level: 3, Verify: true}, Layout: passtest.Layout{}, Target: passtest.Alone(256)}
			opts.Target.Has &^= lacks
			opts.Time = func(stage string, _ time.Duration) { ran[stage] = true }
			if err := Run(k, opts); err != nil {
				t.Errorf("%s on a target without %b: %v", names[n], lacks, err)
			} else if err := ir.VerifyLowered(k); err != nil {
				t.Errorf("%s on a target without %b: %v", names[n], lacks, err)
			}
		}
		for _, r := range pipeline() {
			if r.when == nil && ran[r.name] != (r.needs&lacks == 0) {
				t.Errorf("on a target without %b stage %q runs: %v; it needs %b", lacks, r.name, ran[r.name], r.needs)
			}
		}
	}
}

// TestDump checks that only stages that change something are dumped, and that Until stops the pipeline.
func TestDump(t *testing.T) {
	k, err := ir.Parse("kernel K() {\n\tint i32\n\tbody {\n\t\t%0 = const 1 : i32\n\t\t%1 = const 2 : i32\n\t\t%2 = add %0, %1 : i32\n\t\treturn\n\t}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	var stages []string
	var timed int
	err = Run(k, Options{
		Options: option.Options{Level: 3}, Target: passtest.CPU(0), Layout: passtest.Layout{}, Until: "split",
		Dump: func(stage, _ string) { stages = append(stages, stage) },
		Time: func(string, time.Duration) { timed++ },
	})
	if got := strings.Join(stages, " "); err != nil || got != "lower states simplify dce split" || timed != 17 {
		t.Errorf("dumped %q, timed %d, error %v", got, timed, err)
	}
	if err := Run(k, Options{Layout: passtest.Layout{}, Until: "nowhere"}); err == nil || !strings.Contains(err.Error(), `no stage "nowhere"`) {
		t.Errorf("an unknown stage gives %v", err)
	}
	if err := RunStage(k, Options{}, "nowhere"); err == nil {
		t.Error("an unknown stage gives no error")
	}
}

// TestPanic checks that a panic in a pass is an error that names it.
func TestPanic(t *testing.T) {
	s := &state{k: &ir.Kernel{Name: "K"}, opts: &Options{Options: option.Options{Level: 3}}}
	err := s.stage(&row{name: "boom", run: func(*state) { panic("no") }})
	if err == nil || !strings.Contains(err.Error(), "pass boom of kernel K: no") {
		t.Errorf("a panic gives %v", err)
	}
}

// manyLoops returns a kernel of n loops of one line.
func manyLoops(t *testing.T, n int) *ir.Kernel {
	var sb strings.Builder
	sb.WriteString("kernel Many() {\n\tint i32\n\tfield @X [f32] [128] origin [0]\n\tbody {\n\t\t%lo = const 0 : i32\n\t\t%hi = const 128 : i32\n")
	for i := range n {
		fmt.Fprintf(&sb, "\t\t^%d: parfor %d %%lo, %%hi { (%%i%d: i32)\n\t\t\t%%p%d = ptr @X.0 %%i%d : ptr\n\t\t\t%%v%d = load %%p%d : f32\n", i, i+1, i, i, i, i, i)
		fmt.Fprintf(&sb, "\t\t\t%%w%d = mul %%v%d, %%v%d : f32\n\t\t\tstore %%p%d, %%w%d\n\t\t\tcontinue ^%d\n\t\t}\n", i, i, i, i, i, i)
	}
	sb.WriteString("\t\treturn\n\t}\n}\n")
	k, err := ir.Parse(sb.String())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestLinear checks that ten times as many tasks take about ten times as long.
func TestLinear(t *testing.T) {
	best := map[int]time.Duration{100: time.Hour, 1000: time.Hour}
	run := func(n int) {
		k := manyLoops(t, n)
		start := time.Now()
		if err := Run(k, Options{Options: option.Options{Level: 3}, Target: passtest.CPU(0), Layout: passtest.Layout{}}); err != nil {
			t.Fatal(err)
		}
		best[n] = min(best[n], time.Since(start))
		if len(k.Tasks) != n {
			t.Fatalf("%d loops give %d tasks", n, len(k.Tasks))
		}
	}
	// On a busy machine a single measurement is unreliable; the best of a few is not.
	for range 10 {
		run(100)
		run(1000)
		if best[1000] <= 25*best[100] {
			return
		}
	}
	t.Errorf("100 loops take %v, 1000 take %v: that is not linear", best[100], best[1000])
}

// BenchmarkPipeline takes the material point method through all passes.
func BenchmarkPipeline(b *testing.B) {
	ar, err := txtar.ParseFile("../lower/testdata/mpm88.txtar")
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range ar.Files {
		if f.Name != "Substep.ir" {
			continue
		}
		var spent time.Duration
		for b.Loop() {
			k, err := ir.Parse(string(f.Data))
			if err != nil {
				b.Fatal(err)
			}
			if err := Run(k, Options{Options: option.Options{Level: 3}, Target: passtest.CPU(0), Layout: passtest.Layout{}, Time: func(_ string, d time.Duration) { spent += d }}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "µs-in-passes/op")
	}
}

// TestStrict checks that sums are not reassociated under StrictMath, even if no op has the flag.
func TestStrict(t *testing.T) {
	for _, strict := range []bool{false, true} {
		k, err := ir.Parse(`kernel K(x: f32) f32 {
	int i32
	body {
		%x = param 0 : f32
		%1 = const 1.0 : f32
		%a = add %x, %1 : f32
		%b = add %a, %1 : f32
		return %b
	}
}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, stage := range []string{"simplify", "dce"} {
			if err := RunStage(k, Options{Options: option.Options{Level: 3, Strict: strict, Verify: true}, Target: passtest.CPU(0)}, stage); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(k.String(), "= add"); n != 1 && !strict || n != 2 && strict {
			t.Errorf("strict %t: %d sums are left\n%s", strict, n, k)
		}
	}
}
