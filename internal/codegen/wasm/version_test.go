package wasm

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target/versiontest"
)

// sampleBodies are bodies for the task of flow, which together have most of what modules are made of.
var sampleBodies = []string{
	"%f = convert %x : f16\n%g = mul %f, %f : f16\n%y = convert %g : i32",
	"%f = convert %x : f64\n%g = rem %f, %f : f64\n%h = round %g : f64\n%y = convert %h : i32",
	"%s = splat %x : i32x5\n%n = iota : i32x5\n%t = mul %s, %n : i32x5\n%f = convert %t : f32x5\n%g = sqrt %f : f32x5\n%h = convert %g : u8x5\n%k = convert %h : i32x5\n%y = total %k : i32",
	"%s = splat %p : ptrx4\n%g = load %s : i32x4\n%c = gt %g, %g : boolx4\n%m = load %p, %c : i32x4\n%e = select %c, %m, %g : i32x4\n%y = lane 2 %e : i32",
	"%v = load %p : u8x32\n%u = add %v, %v : u8x32\n%c = gt %u, %v : boolx32\n%z = convert %c : u8x32\n%k = convert %z : i32x32\n%y = total %k : i32",
	"%f = convert %x : f32\n%s = splat %f : f32x8\n%m = fma %s, %s, %s : f32x8\n%g = fma %f, %f, %f : f32\n%h = lane 1 %m : f32\n%k = add %g, %h : f32\n%y = convert %k : i32",
	"%f = convert %x : f32\n%old = atomic.add %q, %f : f32\n%y = convert %old : i32",
	"%arr = alloc 90 x f64 : ptr\n%c = cell.inbounds %arr, %x : ptr\n%f = load %c : f64\n%y = convert %f : i32",
	"record #0 %w, %x\nfail #0 1 %x, %i\npoll\n%y = add %x, %1 : i32",
	"%b = grow [128 192 512 0] %in, %p : ptr\n%y = load %b : i32",
	"%b = find [128 192 512 64] %in, %q, %w, %w : ptr\n%e = enter [128 192 512 64] %b, %w, %w : ptr\n%f = follow %e, %b : ptr\n%y = load %f : i32",
}

// sampleModules are modules that together have most of what modules are made of.
func sampleModules(t *testing.T) (all [][]byte) {
	add := func(k *ir.Kernel) {
		m, err := moduleOf(k.Tasks[0], nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		all = append(all, m.bytes())
	}
	for _, body := range sampleBodies {
		add(parsed(t, fmt.Sprintf(flow, "", body)))
	}
	for _, c := range flowCases {
		add(parsed(t, fmt.Sprintf(flow, c.funcs, c.body)))
	}
	for _, c := range opCases() {
		b := newBench()
		var vs []*ir.Value
		for n, k := range c.args {
			vs = append(vs, b.Load(ir.Scalar(k), b.place(int64(n))))
		}
		b.Store(b.place(int64(len(vs))), b.OpOf(c.code, ir.Scalar(c.result), vs...))
		b.end()
		add(&ir.Kernel{Tasks: []*ir.Task{b.task}})
	}
	return all
}

// TestVersion: code of other contents has another version, by which caches know it. Else old code would run where new one was meant to.
func TestVersion(t *testing.T) {
	h := sha256.New()
	for _, m := range sampleModules(t) {
		fmt.Fprintf(h, "%x\n", m)
	}
	versiontest.Check(t, version, h.Sum(nil))
}
