package spirv

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target/versiontest"
)

// samples are bodies for the loop of kernel, which together have most of what modules are made of. %2 is the index, %5 the place of the element.
var samples = []string{
	"%10 = sqrt %6 : f32",
	"%20 = rem %6, %6 : f32\n%10 = div %20, %6 : f32",
	"%20 = convert %6 : f16\n%21 = mul %20, %20 : f16\n%10 = convert %21 : f32",
	"%20 = convert %6 : i32\n%21 = div %20, %2 : i32\n%22 = shr %21, %2 : i32\n%10 = convert %22 : f32",
	"%20 = alloc 8192 x f32 : ptr\n%21 = cell %20, %3 : ptr\nstore %21, %6\n%10 = load %21 : f32",
	"%20 = atomic.add %5, %6 : f32\n%10 = max %20, %6 : f32",
	"record #0 %3, %6\n%10 = min %6, %7 : f32",
	"%20 = root %0 : block\n%21 = blockptr %20 : ptr\n%22 = grow [128 192 512 0] %0, %21 : block\n%23 = blockptr %22 : ptr\n%10 = load %23 : f32",
	"%20 = root %0 : block\n%21 = find [128 192 512 64] %0, %20, %3, %4 : block\n%22 = enter [128 192 512 64] %0, %3, %4 : block\n%23 = select %8, %21, %22 : block\n%24 = blockptr %23 : ptr\n%10 = load %24 : f32",
}

// sampled is the task of kernel with such a body and range.
func sampled(t *testing.T, sample, dims string) *ir.Task {
	t.Helper()
	text := strings.Replace(kernel, "i32 [0, 10)", dims, 1)
	k, err := ir.Parse(strings.Replace(text, "%10 = sqrt %6 : f32", sample, 1))
	if err != nil {
		t.Fatalf("%s: %v", sample, err)
	}
	return k.Tasks[0]
}

// TestVersion: code of other contents has another version, by which caches know it. Else old code would run where new one was meant to.
func TestVersion(t *testing.T) {
	h := sha256.New()
	for _, s := range samples {
		for _, dims := range []string{"i32 [0, 10)", "i32 [0, 10) threads 1"} {
			for _, topology := range []int32{0, 5} { // of a kernel without sparse trees, and with them
				words, err := moduleOf(sampled(t, s, dims), nil, true, topology)
				if err != nil {
					t.Fatalf("%s: %v", s, err)
				}
				fmt.Fprintln(h, words)
			}
		}
	}
	for _, e := range epilogues {
		words, err := Module(summed(t, e.ops, "i32 [0, 10)"), nil, true)
		if err != nil {
			t.Fatalf("%s: %v", e.ops, err)
		}
		fmt.Fprintln(h, words)
	}
	versiontest.Check(t, version, h.Sum(nil))
}
