package engine

import (
	"context"
	"sync"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/native"
)

// TestCountsWhileLaunching reads the counts while launches are under way: a long one is counted, and
// numbers never fall.
func TestCountsWhileLaunching(t *testing.T) {
	running, goOn := make(chan bool), make(chan bool)
	long := nativeTask(func(*launch.Context, int64, int64) { running <- true; <-goOn })
	e := newEngine(2)
	defer e.Close()
	run := func(entry uintptr, steps int64) {
		c := NewCode(&launch.Kernel{Name: "K", Done: -1, Tasks: []launch.Task{{Steps: steps}}}, []uintptr{entry}, nil)
		e.turn.Lock()
		defer e.turn.Unlock()
		_, _ = e.Run(context.Background(), c, 1)
	}
	lib, err := native.Open("libc.so.6")
	if err != nil {
		t.Skip(err)
	}
	short := lib.Symbol("abs")
	for range 3 {
		run(short, 1)
	}
	done := make(chan bool)
	go func() { run(long, 0); close(done) }()
	<-running
	if launches, tasks := e.Counts(); launches != 4 || tasks != 3 {
		t.Errorf("during a long launch: %d launches, %d tasks", launches, tasks)
	}
	goOn <- true
	<-done
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 10_000 {
			run(short, 1)
		}
	})
	for last := int64(0); last < 10_004; {
		launches, _ := e.Counts()
		if launches < last {
			t.Fatalf("%d launches after %d", launches, last)
		}
		last = launches
	}
	wg.Wait()
}
