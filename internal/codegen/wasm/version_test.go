package wasm

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

var update = flag.Bool("update", false, "rewrite testdata/version.txt")

// sampleBodies are bodies for the task of flow, which together have most of what modules are made of.
var sampleBodies = []string{
	"%f = convert %x : f16\n%g = mul %f, %f : f16\n%y = convert %g : i32",
	"%f = convert %x : f64\n%g = rem %f, %f : f64\n%h = round %g : f64\n%y = convert %h : i32",
	"%s = splat %x : i32x5\n%n = iota : i32x5\n%t = mul %s, %n : i32x5\n%f = convert %t : f32x5\n%g = sqrt %f : f32x5\n%h = convert %g : u8x5\n%k = convert %h : i32x5\n%y = total %k : i32",
	"%s = splat %p : ptrx4\n%g = load %s : i32x4\n%c = gt %g, %g : boolx4\n%m = load %p, %c : i32x4\n%e = select %c, %m, %g : i32x4\n%y = lane 2 %e : i32",
	"%f = convert %x : f32\n%old = atomic.add %q, %f : f32\n%y = convert %old : i32",
	"%arr = alloc 90 x f64 : ptr\n%c = cell.inbounds %arr, %x : ptr\n%f = load %c : f64\n%y = convert %f : i32",
	"record #0 %w, %x\nfail #0 1 %x, %i\npoll\n%y = add %x, %1 : i32",
	"%b = grow [128 192 512 0] %in, %p : ptr\n%y = load %b : i32",
	"%b = find [128 192 512 64] %in, %q, %w, %w : ptr\n%e = enter [128 192 512 64] %b, %w, %w : ptr\n%f = follow %e, %b : ptr\n%y = load %f : i32",
}

// TestVersion: code of other contents has another version, by which caches know it. Else old code would run where new one was meant to.
func TestVersion(t *testing.T) {
	h := sha256.New()
	sum := func(k *ir.Kernel) {
		m, err := moduleOf(k.Tasks[0], nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		fmt.Fprintf(h, "%x\n", m.bytes())
	}
	for _, body := range sampleBodies {
		sum(parsed(t, fmt.Sprintf(flow, "", body)))
	}
	for _, c := range flowCases {
		sum(parsed(t, fmt.Sprintf(flow, c.funcs, c.body)))
	}
	for _, c := range opCases() {
		b := newBench()
		var vs []*ir.Value
		for n, k := range c.args {
			vs = append(vs, b.Load(ir.Scalar(k), b.place(int64(n))))
		}
		b.Store(b.place(int64(len(vs))), b.OpOf(c.code, ir.Scalar(c.result), vs...))
		b.end()
		sum(&ir.Kernel{Tasks: []*ir.Task{b.task}})
	}
	const file = "testdata/version.txt"
	got := fmt.Sprintf("%s %x\n", version, h.Sum(nil))
	kept, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	switch was := string(kept); {
	case got == was:
	case strings.HasPrefix(was, version+" ") && !*update:
		t.Errorf("modules differ from those of %s: raise the version in compiler.go, and run the test with -update", version)
	case !*update:
		t.Errorf("%s has another version than %s; run the test with -update", file, version)
	default:
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
