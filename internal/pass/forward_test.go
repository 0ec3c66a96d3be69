package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// A store before an if stays there if one region stores to the place again and the other has so many loads that forward drops the
// fact about the place.
func TestForwardForgottenStore(t *testing.T) {
	const kernel = `kernel Forgotten() {
	int i32
	field @X [f32] [128] origin [0]
	field @Y [f32] [1024] origin [0]
	task 0 "forgotten" loop 1 i32 [0, 128) {
		prologue {
			yield
		}
		body(%%i: i32) {
			%%x = ptr.inbounds @X.0 %%i : ptr
			%%one = const 0x1p+00 : f32
			%%c = lt %%i, %%i : bool
			store %%x, %%one
			if %%c {
				%%two = const 0x1p+01 : f32
				store %%x, %%two
				yield
			} else {
%s				yield
			}
			continue
		}
		epilogue {
			yield
		}
	}
}
`
	var loads strings.Builder
	for i := range maxFacts + 1 {
		fmt.Fprintf(&loads, "\t\t\t\t%%k%[1]d = const %[1]d : i32\n\t\t\t\t%%p%[1]d = ptr.inbounds @Y.0 %%k%[1]d : ptr\n\t\t\t\t%%v%[1]d = load %%p%[1]d : f32\n", i)
	}
	k, err := ir.Parse(fmt.Sprintf(kernel, loads.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0), Layout: passtest.Layout{}}, "forward"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(k.String(), "store "); n != 2 {
		t.Errorf("%d stores are left, want 2:\n%s", n, k)
	}
}

// Places that are loaded again long after their first load are loaded once, even if they are more than the limit for a large unit.
func TestForwardManyPlaces(t *testing.T) {
	const places = 2 * minFacts
	const kernel = `kernel Many() {
	int i32
	field @X [f32] [128] origin [0]
	field @Y [f32] [1024] origin [0]
	task 0 "many" loop 1 i32 [0, 128) {
		prologue {
			yield
		}
		body(%%i: i32) {
			%%x = ptr.inbounds @X.0 %%i : ptr
%s			store %%x, %%s%d
			continue
		}
		epilogue {
			yield
		}
	}
}
`
	var loads strings.Builder
	fmt.Fprintf(&loads, "\t\t\t%%s0 = const 0x1p+00 : f32\n")
	for i := range 2 * places {
		fmt.Fprintf(&loads, "\t\t\t%%k%[1]d = const %[2]d : i32\n\t\t\t%%p%[1]d = ptr.inbounds @Y.0 %%k%[1]d : ptr\n\t\t\t%%v%[1]d = load %%p%[1]d : f32\n\t\t\t%%s%[3]d = add %%s%[1]d, %%v%[1]d : f32\n", i, i%places, i+1)
	}
	k, err := ir.Parse(fmt.Sprintf(kernel, loads.String(), 2*places))
	if err != nil {
		t.Fatal(err)
	}
	if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0), Layout: passtest.Layout{}}, "forward"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(k.String(), "load "); n != places {
		t.Errorf("%d loads are left, want one for each of %d places", n, places)
	}
}
