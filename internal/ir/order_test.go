package ir

import (
	"strings"
	"testing"
)

// runtime is a kernel with functions that access memory in some order.
const runtime = `kernel K() {
	int i32
	func @push(%0: ptr, %1: ptr) i64 reads place writes place {
		%2 = load.acquire %0 : ptr
		store.relaxed %1, %2
		%3 = const 1 : i64
		store.release %1, %3
		%4 = atomic.cas.acq_rel %0, %2, %1 : ptr
		%5 = atomic.xchg.acquire %1, %3 : i64
		%6 = worker : i64
		return %6
	}
	func @own() {
		%7 = alloc 4 x i64 : ptr
		%8 = const 1 : i64
		%9 = cell.inbounds %7, %8 : ptr
		store %9, %8
		return
	}
	func @caller(%10: ptr) reads place writes place {
		%11 = call @push %10, %10 : i64
		return
	}
	body {
		call @own
		return
	}
}
`

func TestOrders(t *testing.T) {
	k, err := Parse(runtime)
	if err != nil {
		t.Fatal(err)
	}
	if got := k.String(); got != runtime {
		t.Errorf("printed again it is\n%s", got)
	}
	if err := Verify(k); err != nil {
		t.Error(err)
	}
}

func TestOrdersRefused(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"load.acquire %0", "load.release %0", "load cannot have the order release"},
		{"store.release", "store.acquire", "store cannot have the order acquire"},
		{"xchg.acquire", "xchg.relaxed", "atomic cannot have the order relaxed"},
		{"xchg.acquire", "xchg.acquire.nonatomic", "an access with an order is atomic"},
		{"xchg.acquire", "mul.acquire", "it has no order"},
		{"load.acquire %0 : ptr", "load.acquire %0 : f32", "of an integer or an address"},
		{"%10: ptr) reads place", "%10: ptr)", "function caller has no such effect"},
		{"i64 reads place", "i64", "function push has no such effect"},
		{"call @own", "%12 = alloc 1 x i64 : ptr\n\t\t%13 = call @push %12, %12 : i64", "push has effects"},
		{"call @own", "%12 = alloc 1 x i64 : ptr\n\t\t%13 = load.relaxed %12 : i64", "outside of a function"},
		{"call @own", "%12 = worker : i64", "does not depend on the thread"},
	} {
		k, err := Parse(strings.Replace(runtime, test.from, test.to, 1))
		if err != nil {
			t.Errorf("%s: %v", test.to, err)
			continue
		}
		if err := Verify(k); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.to, err, test.want)
		}
	}
	for _, text := range []string{"reads sky", "writes"} {
		if _, err := Parse(strings.Replace(runtime, "reads place", text, 1)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
