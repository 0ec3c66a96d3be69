package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A stage is a set of tests of a package that is run for a mutant.
type stage struct {
	pkg   string
	flags []string
	reach map[string]bool // numbers of the mutants that it comes by
	took  time.Duration
}

type runner struct {
	dir      string
	stages   []stage
	binaries map[string]string // of packages
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

// exec runs a stage with more in its environment.
func (r *runner) exec(s *stage, limit time.Duration, env ...string) (string, error) {
	args := append([]string{"-test.failfast", "-test.timeout=" + limit.String()}, s.flags...)
	cmd := exec.Command(r.binaries[s.pkg], args...)
	cmd.Dir, cmd.Env = s.pkg, append(os.Environ(), env...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// trace runs all stages without a mutant, and notes which mutants each comes by.
func (r *runner) trace() error {
	for i := range r.stages {
		s := &r.stages[i]
		file := filepath.Join(r.dir, fmt.Sprint("trace", i))
		os.Remove(file)
		start := time.Now()
		if text, err := r.exec(s, time.Hour, "MUTANT_TRACE="+file); err != nil {
			return fmt.Errorf("without a mutant, %s %v: %w\n%s", s.pkg, s.flags, err, text)
		}
		s.took, s.reach = time.Since(start), map[string]bool{}
		text, _ := os.ReadFile(file)
		for _, n := range strings.Fields(string(text)) {
			s.reach[n] = true
		}
		fmt.Printf("# %s %s: %.1fs, comes by %d\n", s.pkg, strings.Join(s.flags, " "), s.took.Seconds(), len(s.reach))
	}
	return nil
}

// try runs the stages for each mutant until one fails.
func (r *runner) try(sites []*site, from int) {
	for _, s := range sites {
		if s.number < from {
			continue
		}
		start, found, reached := time.Now(), "SURVIVES", false
		for i := range r.stages {
			g := &r.stages[i]
			if !g.reach[fmt.Sprint(s.number)] {
				continue
			}
			reached = true
			// A mutant that runs on and on is found, too.
			text, err := r.exec(g, 5*g.took+20*time.Second, fmt.Sprint("MUTANT=", s.number))
			if err != nil {
				found = "found by " + g.pkg + " " + firstFailure(text)
				break
			}
		}
		if !reached {
			found = "NOT REACHED"
		}
		fmt.Printf("%d\t%.1fs\t%s\t%s\n", s.number, time.Since(start).Seconds(), found, s)
	}
}

func firstFailure(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			return strings.Fields(name)[0]
		}
	}
	if strings.Contains(text, "test timed out") {
		return "timeout"
	}
	return "panic"
}
