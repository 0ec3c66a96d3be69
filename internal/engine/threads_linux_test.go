package engine_test

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestProcessorsTaken runs launches in a process that has one processor from the start, and in one whose
// processors come and go while it runs.
func TestProcessorsTaken(t *testing.T) {
	if mode := os.Getenv("TI_TEST_PROCESSORS"); mode != "" {
		launchOn(t, mode)
		return
	}
	for _, mode := range []string{"one", "changing"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcessorsTaken$", "-test.v")
		cmd.Env = append(os.Environ(), "TI_TEST_PROCESSORS="+mode)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%s: %v\n%s", mode, err, out)
		}
	}
}

// bind lets all threads of the process run on the first n processors of those in all.
func bind(tb testing.TB, all *unix.CPUSet, n int) {
	tb.Helper()
	var set unix.CPUSet
	for i := 0; i < len(all)*64 && n > 0; i++ {
		if all.IsSet(i) {
			set.Set(i)
			n--
		}
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		tb.Fatal(err)
	}
	for _, task := range tasks {
		id := 0
		for _, c := range task.Name() {
			id = 10*id + int(c-'0')
		}
		// A thread may have ended since.
		if err := unix.SchedSetaffinity(id, &set); err != nil && err != unix.ESRCH {
			tb.Fatal(err)
		}
	}
}

func launchOn(t *testing.T, mode string) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Skip(err)
	}
	if mode == "one" {
		bind(t, &all, 1)
	}
	rt := titest.New(t, ti.Config{Threads: max(2, runtime.GOMAXPROCS(0))})
	var s struct {
		X    ti.Field[int32]
		Step func() error
	}
	rt.Place(ti.Shape{1 << 18}, &s.X)
	titest.Must(t, rt.Load(`package p

var X field[i32]

func Step() {
	for i := range X {
		X[i] = X[i]*3 + i
	}
}`, &s))
	var launches atomic.Int64
	done := make(chan struct{})
	if mode == "changing" {
		go func() {
			defer close(done)
			for i := range 20 {
				bind(t, &all, 1+i%2*all.Count())
				for before := launches.Load(); launches.Load() < before+5; {
					time.Sleep(time.Millisecond)
				}
			}
		}()
	} else {
		time.AfterFunc(map[string]time.Duration{"bounded": time.Second}[mode], func() { close(done) })
	}
	want := int32(0)
	for running := true; running; launches.Add(1) {
		titest.Must(t, s.Step())
		if want = want*3 + 12345; s.X.At(12345) != want {
			t.Fatalf("launch %d gives %d, want %d", launches.Load(), s.X.At(12345), want)
		}
		select {
		case <-done:
			running = launches.Load() < 100
		default:
		}
	}
}
