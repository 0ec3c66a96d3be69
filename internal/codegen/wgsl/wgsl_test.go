package wgsl

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// kernels are what the passes leave of kernels, and shaders are those of their tasks.
func kernels(t *testing.T) (names []string, shaders []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no kernels: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := ir.Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, task := range k.Tasks {
			s, err := Shader(task)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			again, err := Shader(task)
			if err != nil || again != s {
				t.Errorf("%s: the second time it differs", file)
			}
			names = append(names, fmt.Sprintf("%s.%d.wgsl", strings.TrimSuffix(filepath.Base(file), ".ir"), task.Index))
			shaders = append(shaders, s)
		}
	}
	return names, shaders
}

// TestGolden compares shaders with what was looked at.
func TestGolden(t *testing.T) {
	names, shaders := kernels(t)
	for i, s := range shaders {
		file := filepath.Join("testdata", names[i])
		if *update {
			if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != s {
			t.Errorf("%s differs (%v); if that is right, run the test with -update:\n%s", file, err, s)
		}
	}
}

// TestAccepted has naga and tint check the shaders, with all helpers, where they are installed.
func TestAccepted(t *testing.T) {
	names, shaders := kernels(t)
	all := map[string]bool{}
	for _, h := range helpers {
		all[h.name] = true
	}
	names = append(names, "helpers.wgsl")
	shaders = append(shaders, "@group(0) @binding(1) var<storage, read_write> errs: array<atomic<u32>>;\n"+helperTexts(all))
	checked := false
	for _, tool := range [][]string{{"naga"}, {"tint", "--format", "wgsl"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			continue
		}
		checked = true
		for i, s := range shaders {
			file := filepath.Join(t.TempDir(), names[i])
			if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(tool[0], append(tool[1:], file)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s\n%s", tool[0], err, out, s)
			}
		}
	}
	if !checked {
		t.Skip("there is neither naga nor tint on this machine")
	}
}

// body is a kernel whose loop has these ops behind %6, the number of the iteration's element.
func body(t *testing.T, ops string) *ir.Task {
	t.Helper()
	k, err := ir.Parse("kernel K(n: i32) {\n\tint i32\n\tbases [0]\n\tframe 0 done -1\n\ttask 0 \"for i := range n\" loop 1 i32 [0, 10) @0:7:2 {\n\t\tbody(%2: i32) {\n%0 = base 0 : ptr\n%1 = const 4 : i64\n%3 = convert %2 : i64\n%4 = mul %3, %1 : i64\n" +
		"%5 = offset %0, %4 : ptr\n%6 = load %5 : f32\n" + ops + "\ncontinue\n\t\t}\n\t}\n}\n")
	if err != nil {
		t.Fatalf("%s: %v", ops, err)
	}
	return k.Tasks[0]
}

// TestRefused names what WGSL lacks, with its place.
func TestRefused(t *testing.T) {
	for ops, what := range map[string]string{
		"%10 = sqrt %6 : f32":                           "",
		"%10 = convert %6 : f64 @0:9:4":                 "convert of f64",
		"%10 = lt %3, %1 : bool @0:9:4":                 "lt of i64",
		"%10 = div %3, %1 : i64 @0:9:4":                 "div of i64",
		"%10 = shr %3, %1 : i64 @0:9:4":                 "shr of i64",
		"%10 = load %5 : i64 @0:9:4":                    "i64 in memory",
		"store %5, %3 @0:9:4":                           "i64 in memory",
		"%10 = convert %6 : f16 @0:9:4":                 "f16",
		"%10 = gt %6, %6 : bool\nstore %5, %10 @0:9:4":  "bool in memory",
		"%10 = rem %6, %6 : f32 @0:9:4":                 "rem of f32",
		"%10 = sin %6 : f32 @0:9:4":                     "sin",
		"%10 = fma %6, %6, %6 : f32 @0:9:4":             "fma",
		"%10 = key : u64 @0:9:4":                        "key of u64",
		"record #0 %3, %6 @0:9:4":                       "record",
		"%10 = root %0 : block @0:9:4":                  "root",
		"%10 = alloc 4 x i64 : ptr @0:9:4":              "i64 in local arrays",
		"%10 = frame 0 1 x f32 : ptr @0:9:4":            "frame",
		"%10 = convert %2 : i16 @0:9:4":                 "i16",
		"%10 = atomic.min %5, %3 : i64 @0:9:4":          "i64 in memory",
		"%10 = const 1 : i32\n%11 = shl %10, %10 : i32": "",
		"%10 = alloc 4 x i32 : ptr\n%11 = cell %10, %2 : ptr\n%12 = load %11 : f32 @0:9:4": "numbers in local arrays of other ones",
	} {
		_, err := Shader(body(t, ops))
		refused, is := errors.AsType[*target.Unsupported](err)
		switch {
		case is != (what != ""), !is && err != nil:
			t.Errorf("%s: the error is %v", ops, err)
		case is && (!strings.Contains(refused.What, what) || refused.Pos.Line != 9):
			t.Errorf("%s: refused is %q at %v, want %q in line 9", ops, refused.What, refused.Pos, what)
		}
	}
}
