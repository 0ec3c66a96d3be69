package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/llvm"
)

// turnTimes is by how much more than usual a random test tries in a turn, so that starting it costs little.
const turnTimes = 2

// A randomTurn is a run of a random test as code for a processor, from a seed on.
type randomTurn struct {
	randomTest
	processor string
	first     uint64
}

func (r randomTurn) args() []string {
	return []string{fmt.Sprintf("-%s=%d", r.count, turnTimes*r.usual), fmt.Sprintf("-%s=%d", r.randomTest.first, r.first)}
}

// again is the command that does the same.
func (r randomTurn) again() string {
	return fmt.Sprintf("%s=%s go test ./%s -timeout 0 -run '%s' %s", llvm.EnvProcessor, r.processor, r.dir, r.pattern(), strings.Join(r.args(), " "))
}

// random runs random tests in turn, each as code for each level of x86-64 that the machine runs, on seeds from first on,
// until the time is over. It goes on after what fails.
func (t *tester) random(d time.Duration, first uint64) {
	all, err := randomTests(os.DirFS(t.root))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there are none")
	}
	scratch, failed := os.MkdirTemp("", "ti-random-")
	if err = errors.Join(err, failed); err != nil {
		fmt.Fprintf(t.io.out, "FAIL looking for random tests: %v\n", err)
		t.failed++
		return
	}
	defer os.RemoveAll(scratch)
	if t.failed += t.buildTests(all, scratch); t.failed > 0 {
		return
	}
	processors := randomProcessors()
	fmt.Fprintf(t.io.out, "%d random tests as %s, seeds from %d on\n", len(all), strings.Join(processors, ", "), first)
	end := time.Now().Add(d)
	turns := make(chan randomTurn)
	var (
		wait  sync.WaitGroup
		mutex sync.Mutex
		seeds = map[string]uint64{} // by processor
	)
	for range max(1, runtime.NumCPU()) {
		wait.Go(func() {
			for r := range turns {
				start := time.Now()
				out, err := r.run(t.root, scratch)
				mutex.Lock()
				seeds[r.processor] += turnTimes * r.usual
				t.turned(r, time.Since(start), out, err)
				mutex.Unlock()
			}
		})
	}
	each(all, processors, first, func(r randomTurn) bool {
		if time.Now().After(end) {
			return false
		}
		turns <- r
		return true
	})
	close(turns)
	wait.Wait()
	for _, p := range slices.Sorted(maps.Keys(seeds)) {
		fmt.Fprintf(t.io.out, "%d seeds as %s\n", seeds[p], p)
	}
}

// each yields turns until yield refuses one. The processors take turns, and each begins with another test, so that a
// short run has all processors and many tests.
func each(all []randomTest, processors []string, first uint64, yield func(randomTurn) bool) {
	for round := uint64(0); ; round++ {
		for i := range all {
			for k, p := range processors {
				test := all[(i+k*len(all)/len(processors))%len(all)]
				if !yield(randomTurn{test, p, first + round*turnTimes*test.usual}) {
					return
				}
			}
		}
	}
}

// randomProcessors lists the levels that the machine runs, or the machine's own processor where there are none.
func randomProcessors() (all []string) {
	for _, l := range ahead.Here() {
		all = append(all, l.Processor)
	}
	if len(all) == 0 {
		all = []string{""} // no other than the own
	}
	return all
}

// turned prints a line about a turn, with its output if it failed.
func (t *tester) turned(r randomTurn, took time.Duration, out []byte, err error) {
	fmt.Fprintf(t.io.out, "%-4s %-9s %s %s %s %.1f s\n", t.count(err), r.processor, r.dir, strings.Join(r.tests, ","), strings.Join(r.args(), " "), took.Seconds())
	if err != nil {
		fmt.Fprintf(t.io.out, "%v\n%s\nagain: %s\n", err, out, r.again())
	}
}

// run runs a turn in the test binary of its package.
func (r randomTurn) run(root, scratch string) ([]byte, error) {
	cmd := exec.Command(testBinary(scratch, r.dir), append(r.args(), "-test.run="+r.pattern(), "-test.timeout=1h")...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(r.dir))
	cmd.Env = append(os.Environ(), "TI_CACHE=off", "TI_INTERNAL_ERRORS=fail", llvm.EnvProcessor+"="+r.processor)
	return cmd.CombinedOutput()
}

func testBinary(scratch, dir string) string {
	return filepath.Join(scratch, strings.ReplaceAll(dir, "/", "-")+".test")
}

// buildTests makes the test binaries of random tests, and returns how many fail.
func (t *tester) buildTests(all []randomTest, scratch string) (failed int) {
	built := map[string]bool{}
	for _, r := range all {
		if built[r.dir] {
			continue
		}
		built[r.dir] = true
		if out, err := t.command(nil, "test", "-vet=off", "-c", "-o", testBinary(scratch, r.dir), "./"+r.dir)(); err != nil {
			fmt.Fprintf(t.io.out, "FAIL building the tests of %s: %v\n%s\n", r.dir, err, out)
			failed++
		}
	}
	return failed
}
