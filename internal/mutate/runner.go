package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A stage is a set of tests of a package that is run for a mutant.
type stage struct {
	pkg   string
	flags []string
	group int             // the stages of a group run in the order of their time
	reach map[string]bool // numbers of the mutants that it comes by
	took  time.Duration   // of a processor
}

type runner struct {
	dir      string
	stages   []stage
	binaries map[string]string // of packages
	results  string            // file
	workers  int
	limit    time.Duration // of all tests that a mutant meets; 0 for none
}

// build makes the test binaries.
func (r *runner) build() error {
	for _, s := range r.stages {
		if r.binaries[s.pkg] != "" {
			continue
		}
		out := filepath.Join(r.dir, strings.ReplaceAll(strings.Trim(s.pkg, "./"), "/", "_")+".test")
		if _, err := run("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(r.dir, "overlay.json"), "-o", out, s.pkg); err != nil {
			return err
		}
		r.binaries[s.pkg] = out
	}
	return nil
}

// divide makes a stage of each test of the stages, so that a mutant meets only the
// tests that come by it, and the quick ones of a stage first.
func (r *runner) divide() error {
	var all []stage
	for _, s := range r.stages {
		pattern, rest := ".", []string(nil)
		for _, f := range s.flags {
			if p, ok := strings.CutPrefix(f, "-test.run="); ok {
				pattern = p
			} else {
				rest = append(rest, f)
			}
		}
		text, err := r.command(s.pkg, "-test.list="+pattern).Output()
		if err != nil {
			return err
		}
		for _, name := range strings.Fields(string(text)) {
			if strings.HasPrefix(name, "Test") {
				all = append(all, stage{pkg: s.pkg, group: s.group, flags: append(slices.Clone(rest), "-test.run=^"+name+"$")})
			}
		}
	}
	r.stages = all
	return nil
}

func (r *runner) command(pkg string, args ...string) *exec.Cmd {
	cmd := exec.Command(r.binaries[pkg], args...)
	cmd.Dir = pkg
	return cmd
}

// exec runs a stage with more in its environment, for some seconds of processor time
// at most: on a busy machine that of the clock says little. It returns the time taken.
func (r *runner) exec(s *stage, seconds int, env ...string) (text string, took time.Duration, err error) {
	script := fmt.Sprintf("ulimit -t %d; exec \"$0\" \"$@\"", seconds)
	args := append([]string{"-c", script, r.binaries[s.pkg], "-test.failfast", "-test.timeout=20m"}, s.flags...)
	cmd := exec.Command("sh", args...)
	// All mutants are one program, and each would be given what another has compiled.
	cmd.Dir, cmd.Env = s.pkg, append(append(os.Environ(), "TI_CACHE=off"), env...)
	out, err := cmd.CombinedOutput()
	if p := cmd.ProcessState; p != nil {
		took = p.UserTime() + p.SystemTime()
		if took >= time.Duration(seconds)*time.Second {
			out = append(out, "test timed out\n"...)
		}
	}
	return string(out), took, err
}

// trace runs all stages without a mutant, and notes which mutants each comes by. The
// stages of a group are then in the order of their time.
func (r *runner) trace() {
	for i := range r.stages {
		s := &r.stages[i]
		file := filepath.Join(r.dir, fmt.Sprint("trace", i))
		os.Remove(file)
		text, took, err := r.exec(s, 3600, "MUTANT_TRACE="+file)
		s.took, s.reach = took, map[string]bool{}
		if err != nil {
			fmt.Printf("# %s %v fails without a mutant and is left out: %v\n%s", s.pkg, s.flags, err, text)
			continue
		}
		visited, _ := os.ReadFile(file)
		for _, n := range strings.Fields(string(visited)) {
			s.reach[n] = true
		}
		fmt.Printf("# %s %s: %.1fs, comes by %d\n", s.pkg, strings.Join(s.flags, " "), s.took.Seconds(), len(s.reach))
	}
	slices.SortStableFunc(r.stages, func(a, b stage) int {
		return cmp.Or(a.group-b.group, int(a.took-b.took))
	})
}

// try tries the mutants, several at once if there are workers for it.
func (r *runner) try(sites []*site, from int) error {
	var (
		wait    sync.WaitGroup
		lock    sync.Mutex
		problem error
	)
	work := make(chan *site)
	for range max(1, r.workers) {
		wait.Go(func() {
			for s := range work {
				start := time.Now()
				verdict, by := r.one(s)
				lock.Lock()
				fmt.Printf("%d\t%.1fs\t%s %s\t%s\n", s.number, time.Since(start).Seconds(), verdict, by, s)
				if err := setResult(r.results, result{verdict, s.key(), s.change(), by}); err != nil {
					problem = err
				}
				lock.Unlock()
			}
		})
	}
	for _, s := range sites {
		if s.number >= from {
			work <- s
		}
	}
	close(work)
	wait.Wait()
	return problem
}

// one runs the stages for a mutant until one fails.
func (r *runner) one(s *site) (verdict, by string) {
	verdict = "unreached"
	var sum time.Duration
	for i := range r.stages {
		g := &r.stages[i]
		if !g.reach[fmt.Sprint(s.number)] {
			continue
		}
		verdict = "survives"
		if sum += g.took; sum > r.limit && r.limit > 0 {
			return verdict, fmt.Sprintf("%v of tests", r.limit)
		}
		// A mutant that runs on and on is found, too.
		text, _, err := r.exec(g, 10+int(4*g.took.Seconds()), fmt.Sprint("MUTANT=", s.number))
		if err != nil {
			return "found", strings.TrimPrefix(g.pkg, "./") + " " + firstFailure(text)
		}
	}
	return verdict, ""
}

func firstFailure(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			return strings.Fields(name)[0]
		}
	}
	switch {
	case strings.Contains(text, "test timed out"):
		return "timeout"
	case strings.Contains(text, "panic: "), strings.Contains(text, "fatal error: "):
		return "panic"
	}
	return "crash"
}
