package autodiff_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// TestValuesOfManyLanes takes values of three lanes apart: those that loops carry on, in another order too, those of ifs and
// blocks, arrays that change after they are loaded, and what is made of all lanes.
func TestValuesOfManyLanes(t *testing.T) {
	k, err := ir.Parse(`kernel K() f64, f64, f64, f64, f64, f64, f64, bool, bool {
	int i32
	file "k.ti"
	body {
		%0 = const 0 : i32
		%1 = const 1 : i32
		%2 = const 2 : i32
		%3 = const 3 : i32
		%4 = const 0x1p+00 : f64
		%5 = const 0x1p+01 : f64
		%6 = const 0x1p+02 : f64
		%7.a = alloc 3 x f64 : ptr
		%8 = cell %7, %0 : ptr
		store %8, %4
		%9 = cell %7, %1 : ptr
		store %9, %5
		%10 = cell %7, %2 : ptr
		store %10, %6
		%11 = load %7 : f64x3
		store %8, %6
		%12 = load %7 : f64x3
		%13 = mul %12, %12 : f64x3
		%14 = const 0x1.8p+00 : f64x3
		^0: %15, %16, %17 = for %0, %3, %11, %13, %4 : f64x3, f64x3, f64 { (%18: i32, %19: f64x3, %20: f64x3, %21: f64)
			%22 = add %19, %14 : f64x3
			%23 = eq %18, %1 : bool
			%24, %25 = if %23 : f64x3, f64 {
				%26 = splat %21 : f64x3
				%27 = mul %22, %26 : f64x3
				yield %27, %5
			} else {
				yield %22, %21
			}
			continue ^0 %20, %24, %25
		}
		^1: %28 = loop %15, %0 : f64x3 { (%29: f64x3, %30: i32)
			%31 = add %30, %1 : i32
			%32 = gt %31, %2 : bool
			if %32 {
				break ^1 %29
			} else {
				yield
			}
			%33 = add %29, %29 : f64x3
			continue ^1 %33, %31
		}
		^2: %34 = block : f64x3 {
			%35 = lt %17, %4 : bool
			if %35 {
				break ^2 %11
			} else {
				yield
			}
			%36 = sub %16, %11 : f64x3
			yield %36
		}
		%37.b = alloc 4 x f64 : ptr
		%38 = cell %37, %1 : ptr
		store %38, %34
		%39 = atomic.add %38, %11 : f64x3
		%40 = total %39 : f64
		%41 = cell %37, %3 : ptr
		%42 = load %41 : f64
		%43 = total %28 : f64
		%44 = total %16 : f64
		%45 = lt %11, %14 : boolx3
		%46 = any %45 : bool
		%47 = all %45 : bool
		^3: %48, %49, %50 = for %0, %3, %11, %13, %14 : f64x3, f64x3, f64x3 { (%51: i32, %52: f64x3, %53: f64x3, %54: f64x3)
			%55 = eq %51, %1 : bool
			if %55 {
				continue ^3 %53, %52, %52
			} else {
				yield
			}
			%56 = sub %52, %53 : f64x3
			continue ^3 %53, %52, %56
		}
		%57 = total %48 : f64
		%58 = total %50 : f64
		%59.c = alloc 3 x f64 : ptr
		store %59, %48
		%60 = cell %59, %0 : ptr
		store %60, %57
		%61 = load %59 : f64x3
		%62 = sub %61, %48 : f64x3
		%63 = total %62 : f64
		return %43, %44, %40, %42, %57, %58, %63, %46, %47
	}
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	autodiff.Inline(k, true)
	if err := ir.Verify(k); err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	ir.Visit(k.Body, func(o *ir.Op) bool {
		if slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return v.Type.Lanes > 1 }) {
			t.Errorf("%s has several lanes left\n%s", o.Code, k)
		}
		return true
	})
	r, err := oracle.Run(context.Background(), k, &oracle.Env{})
	if err != nil {
		t.Fatal(err)
	}
	want := func() (all []float64) {
		x, y, by := []float64{1, 2, 4}, []float64{16, 4, 16}, 1.0
		first := slices.Clone(x)
		for i := range 3 {
			z := slices.Clone(x)
			for j := range z {
				z[j] += 1.5
				if i == 1 {
					z[j] *= by
				}
			}
			if i == 1 {
				by = 2
			}
			x, y = y, z
		}
		sum := func(v []float64) (s float64) {
			for _, x := range v {
				s += x
			}
			return s
		}
		a, b := []float64{1, 2, 4}, []float64{16, 4, 16}
		d := sum(a) - sum(b) // of the last iteration, before which a and b have changed places twice
		return []float64{4 * sum(x), sum(y), sum(y) - sum(first), y[2] - first[2] + first[2], sum(b), d, sum(b) - b[0]}
	}()
	for i, want := range want {
		if got := math.Float64frombits(r.Values[i]); got != want {
			t.Errorf("result %d is %v and not %v\n%s", i, got, want, k)
		}
	}
	if r.Values[7] != 1 || r.Values[8] != 0 {
		t.Errorf("any and all are %d and %d, not 1 and 0", r.Values[7], r.Values[8])
	}
}
