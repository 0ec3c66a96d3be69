package observe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const profileSource = `package p

var X field[f32]

func Work() f32 {
	for i := range X {
		X[i] = sin(f32(i))
	}
	s := f32(0)
	for i := range X {
		s += X[i]
	}
	return s
}

func Idle() {}
`

type profiled struct {
	X    ti.Field[float32]
	Work func() float32
	Idle func()
}

func profileHost(t *testing.T, cfg ti.Config) (*ti.Runtime, *profiled) {
	t.Helper()
	rt := titest.New(t, cfg)
	h := &profiled{}
	rt.Place(ti.Shape{1 << 16}, &h.X)
	if _, err := rt.Compile(ti.Text("work.ti", profileSource), h); err != nil {
		t.Fatal(err)
	}
	return rt, h
}

func TestProfile(t *testing.T) {
	rt, h := profileHost(t, ti.Config{Threads: 2})
	h.Work() // not measured
	sentinel := errors.New("mine")
	p, err := rt.Profile(func() error {
		for range 5 {
			h.Work()
		}
		h.Idle()
		return sentinel
	})
	if !errors.Is(err, sentinel) {
		t.Errorf("the error of the function is %v", err)
	}
	lines := map[int]string{}
	for i, task := range p {
		lines[task.Pos.Line] = task.Task
		if task.Kernel != "Work" || task.Pos.Filename != "work.ti" || task.Count != 5 {
			t.Errorf("task %+v", task)
		}
		if task.Min <= 0 || task.Min > task.Max || task.Total < task.Max || task.Total > 5*task.Max {
			t.Errorf("times do not fit: %+v", task)
		}
		if i > 0 && task.Total > p[i-1].Total {
			t.Errorf("not sorted: %v", p)
		}
	}
	if lines[6] != "for i := range X" || lines[10] != "for i := range X" {
		t.Errorf("the loops are %v", lines)
	}
	text := p.String()
	for _, want := range []string{"share", "100.0%", "Work: for i := range X (work.ti:6:2)", "all tasks"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if p, err := rt.Profile(func() error { return nil }); err != nil || len(p) != 0 {
		t.Errorf("what was measured before is in %v, %v", p, err)
	}
}

func TestProfileNested(t *testing.T) {
	rt, h := profileHost(t, ti.Config{Arch: ti.Oracle})
	p, err := rt.Profile(func() error {
		if _, err := rt.Profile(func() error { return nil }); !errors.Is(err, ti.ErrBusy) {
			t.Errorf("a profile inside another: %v", err)
		}
		h.Work()
		return nil
	})
	if err != nil || len(p) != 1 || p[0].Kernel != "Work" || p[0].Pos.Line != 5 || p[0].Total <= 0 {
		t.Errorf("on the oracle: %+v, %v", p, err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = rt.Profile(func() error { panic("mine") })
	}()
	if _, err := rt.Profile(func() error { return nil }); err != nil {
		t.Errorf("after a panic: %v", err)
	}
	rt.Close()
	if _, err := rt.Profile(func() error { return nil }); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestTrace(t *testing.T) {
	rt, h := profileHost(t, ti.Config{Threads: 2})
	var out bytes.Buffer
	p, err := rt.Trace(&out, func() error {
		h.Work()
		return nil
	})
	if err != nil || len(p) == 0 {
		t.Fatal(p, err)
	}
	var trace struct {
		TraceEvents []struct {
			Name, Ph string
			Dur      float64
			Args     struct {
				Source     string
				Iterations int
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	iterations, names := map[string]int{}, 0
	for _, e := range trace.TraceEvents {
		if e.Ph == "M" {
			names++
			continue
		}
		iterations[e.Args.Source] += e.Args.Iterations
	}
	if names == 0 || iterations["work.ti:6:2"] != 1<<16 || iterations["work.ti:10:2"] != 1<<16 {
		t.Errorf("%d names of threads, iterations by place %v", names, iterations)
	}
	full := errors.New("full")
	if _, err := rt.Trace(failing{full}, func() error { h.Work(); return nil }); !errors.Is(err, full) {
		t.Errorf("a trace that cannot be written: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
