package variant_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// onStderr returns what f writes to standard error.
func onStderr(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(was *os.File) { os.Stderr = was }(os.Stderr)
	os.Stderr = w
	text := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, r)
		text <- b.String()
	}()
	f()
	_ = w.Close()
	return <-text
}

// squares is a program of two kernels.
type squares struct {
	X    ti.Field[float32]
	Loss ti.Field[float32]
	Fill func(n float32) error
	Sum  func() error
}

const squaresSource = `package p

var (
	X    field[f32, D1]
	Loss field[f32, D0]
)

func Fill(n f32) {
	for i := range X {
		X[i] = n
	}
}

func Sum() {
	for i := range X {
		Loss += X[i]*X[i]
	}
}`

// TestCompilerFault has the compiler fail in a step: the program gets right results all the same, and one line for each kernel
// that asks for a report. Where the error is wanted, or a step fails that cannot be left out, the launch fails.
func TestCompilerFault(t *testing.T) {
	for step, wrong := range map[string]string{"forward": "", "llvm": "", "load": "", "access": "internal error in pass access"} {
		for _, strict := range []string{"", "fail"} {
			t.Run(step+strict, func(t *testing.T) {
				t.Setenv("TI_INTERNAL_ERRORS", strict)
				t.Setenv("TI_FAIL_IN", step)
				t.Setenv("TI_CACHE", "lru")
				t.Setenv("TI_CACHE_DIR", t.TempDir())
				for start := range 2 { // the second has the code from the cache
					lines := onStderr(t, func() { runFaulty(t, strict != "" || wrong != "", wrong) })
					want := 2 // of Fill and of Sum, whose backward pass is a part of it
					if strict != "" || wrong != "" {
						want = 0
					}
					if n := strings.Count(lines, "please report this line"); n != want {
						t.Errorf("start %d: %d lines ask for a report, not %d:\n%s", start, n, want, lines)
					}
				}
			})
		}
	}
}

// runFaulty runs the program under a tape, and says whether it fails.
func runFaulty(t *testing.T, fails bool, wrong string) {
	t.Helper()
	rt := titest.New(t, ti.Config{})
	var p squares
	rt.Place(ti.Shape{100}, ti.WithGrad(&p.X)...)
	rt.Place(ti.Shape{}, ti.WithGrad(&p.Loss)...)
	if err := rt.Load(squaresSource, &p); err != nil {
		t.Fatal(err)
	}
	err := p.Fill(3)
	if fails {
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("error %v", err)
		}
		return
	}
	if err == nil {
		err = rt.Tape(&p.Loss, func() error { return p.Sum() })
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Loss.At() != 900 || p.X.Grad().At(7) != 6 {
		t.Errorf("the sum is %v, and its derivative %v", p.Loss.At(), p.X.Grad().At(7))
	}
}
