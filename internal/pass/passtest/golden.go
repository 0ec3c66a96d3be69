package passtest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/target"
)

var update = flag.Bool("update", false, "rewrite the expected IR in testdata")

const divider = "\n---\n"

// Options are those of a golden test.
type Options struct {
	option.Options
	Layout unit.Layout
	Target target.Traits
}

// A Run takes a kernel through one stage, and verifies the output.
type Run func(k *ir.Kernel, opts Options, stage string) error

// Golden runs each stage that has a directory in testdata on the kernels
// there: a file is the IR before, a line of three dashes, the IR after. The
// directory is named as the stage; a line "// stages a, b" runs others.
func Golden(t *testing.T, run Run) {
	files, err := filepath.Glob("testdata/*/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".ir"), func(t *testing.T) { golden(t, file, run) })
	}
}

func golden(t *testing.T, file string, run Run) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(data), divider)
	k, err := ir.Parse(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	stages := []string{filepath.Base(filepath.Dir(file))}
	if _, list, named := strings.Cut(before, "// stages "); named {
		list, _, _ = strings.Cut(list, "\n")
		stages = strings.Split(list, ", ")
	}
	opts := Options{Options: option.Options{Level: 3, Verify: true, Deterministic: slices.Contains(stages, "serialise")}, Layout: Layout{}, Target: CPU(512)}
	if slices.Contains(stages, "vectors") {
		opts.Target = Alone(128)
	}
	if strings.HasPrefix(before, "// masks\n") {
		opts.Target = Alone(512)
	}
	opts.Unchecked = strings.HasPrefix(before, "// unchecked\n")
	if strings.HasPrefix(before, "// threads 2\n") {
		opts.Threads = 2
	}
	opts.Strict = strings.HasPrefix(before, "// strict\n")
	if strings.HasPrefix(before, "// vectors of 256 bits\n") {
		opts.Target.VectorBits, opts.ForceVectors = 256, 8
	}
	if strings.HasPrefix(before, "// counts\n") {
		count(k)
	}
	if strings.HasPrefix(before, "// no float max\n") {
		opts.Target.Has &^= target.FloatMax
	}
	if strings.HasPrefix(before, "// no masks\n") {
		opts.Target.Has &^= target.Masks
	}
	if strings.HasPrefix(before, "// an iteration a thread\n") {
		opts.Target.Has &^= target.Threads
	}
	for _, stage := range stages {
		if err := run(k, opts, stage); err != nil {
			t.Fatal(err)
		}
	}
	got := k.String()
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(before, "\n")+"\n"+divider[1:]+got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != after {
		t.Errorf("stage %v gives\n%swant\n%s", stages, got, after)
	}
}

// count makes k count the numbers that it stores, as if compiled for Runtime.Ranges.
func count(k *ir.Kernel) {
	comps := map[*ir.Field][]bool{}
	for _, f := range k.Fields {
		comps[f] = slices.Repeat([]bool{true}, len(f.Comps))
	}
	k.Measure = ir.NewMeasure(k, comps)
	k.Measure.AddCounters(k)
}
