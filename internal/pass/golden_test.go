package pass

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

var update = flag.Bool("update", false, "rewrite the expected IR in testdata")

const divider = "\n---\n"

// TestGolden runs each stage that has a directory in testdata on the kernels
// there: a file is the IR before, a line of three dashes, the IR after. The
// directory is named as the stage; a line "// stages a, b" runs others.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".ir"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
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
	opts := Options{Options: option.Options{Level: 3, Verify: true, Deterministic: slices.Contains(stages, "order")}, Layout: testLayout{}, Target: cpu(512)}
	opts.Unchecked = strings.HasPrefix(before, "// unchecked\n")
	if strings.HasPrefix(before, "// threads 2\n") {
		opts.Threads = 2
	}
	opts.Strict = strings.HasPrefix(before, "// strict\n")
	if strings.HasPrefix(before, "// vectors of 256 bits\n") {
		opts.Target.VectorBits, opts.ForceVectors = 256, 8
	}
	if strings.HasPrefix(before, "// no float max\n") {
		opts.Target.Has &^= target.FloatMax
	}
	if strings.HasPrefix(before, "// no masks\n") {
		opts.Target.Has &^= target.Masks
	}
	for _, stage := range stages {
		if err := RunStage(k, opts, stage); err != nil {
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

func TestOrder(t *testing.T) {
	if err := checkOrder(pipeline(), orders); err != nil {
		t.Error(err)
	}
	rows := []row{{name: "a"}, {name: "b"}}
	for _, c := range []struct {
		rows   []row
		orders []order
		want   string
	}{
		{rows, []order{{"a", "b", "why"}}, ""},
		{rows, []order{{"b", "a", "why"}}, `"b" must come before "a": why`},
		{rows, []order{{"a", "c", "why"}}, "not in the pass table"},
		{append(rows, rows[0]), nil, "twice"},
	} {
		err := checkOrder(c.rows, c.orders)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("checkOrder(%v) = %v, want %q", c.orders, err, c.want)
		}
	}
}

// cpu describes a processor with vectors of so many bits, 0 for none.
func cpu(vectorBits int) target.Traits {
	return target.Traits{Has: target.CPU | target.FMA | target.FloatMax | target.Estimates | target.Streams | target.Masks, VectorBits: vectorBits, Locals: 1 << 20}
}
