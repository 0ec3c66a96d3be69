package suite

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gotaichi/ti"
)

// A Peer is something else that runs the same cases.
type Peer interface {
	Name() string
	Has(name string) bool // whether it has a case
	Measure(ctx context.Context, name string, threads int) (Timing, error)
}

// A Variant is a peer in this program: cases of the same names that do the same in another way.
type Variant struct {
	Label string
	Cases []Case
}

// Name returns the variant's label.
func (v *Variant) Name() string { return v.Label }

// Has reports whether the variant has a case.
func (v *Variant) Has(name string) bool { return v.find(name) != nil }

func (v *Variant) find(name string) *Case {
	for i := range v.Cases {
		if v.Cases[i].Name == name {
			return &v.Cases[i]
		}
	}
	return nil
}

// Measure runs one case.
func (v *Variant) Measure(_ context.Context, name string, threads int) (Timing, error) {
	return v.find(name).Measure(ti.Config{Threads: threads})
}

// A Without is a variant without parts of the compiler.
type Without struct {
	Variant
	Parts string // as in TI_WITHOUT
}

// Measure runs one case.
func (v *Without) Measure(ctx context.Context, name string, threads int) (t Timing, err error) {
	const variable = "TI_WITHOUT"
	old, was := os.LookupEnv(variable)
	if err := os.Setenv(variable, v.Parts); err != nil {
		return t, err
	}
	defer func() {
		if was {
			err = errors.Join(err, os.Setenv(variable, old))
		} else {
			err = errors.Join(err, os.Unsetenv(variable))
		}
	}()
	return v.Variant.Measure(ctx, name, threads)
}

// A Program is a peer in a process of its own.
type Program struct {
	Known
	argv  []string
	cases []string // those that it has
}

// Known describes a program that may be found.
type Known struct {
	Label     string
	Script    string   // its Python source, run in the environment of the label; "" for an executable of that name
	Args      []string // come before all others
	OneCore   bool     // it has no --threads
	FirstCost bool     // it has --first, which prints what a first launch costs
}

// FindPrograms returns the programs that names lists, of those that are known, and an error that says how to install
// what is missing.
func FindPrograms(ctx context.Context, dir, names string, known []Known) ([]*Program, error) {
	if names == "" {
		return nil, nil
	}
	var programs []*Program
	var errs []error
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(known, func(k Known) bool { return k.Label == name })
		if i < 0 {
			all := make([]string, len(known))
			for i, k := range known {
				all[i] = k.Label
			}
			return nil, fmt.Errorf("there is no peer %q; there are %s", name, strings.Join(all, ", "))
		}
		p := &Program{Known: known[i], argv: []string{filepath.Join(dir, name)}}
		if p.Script != "" {
			p.argv = []string{filepath.Join(dir, ".venv-"+name, "bin", "python"), filepath.Join(dir, p.Script)}
		}
		if _, err := os.Stat(p.argv[0]); err != nil {
			errs = append(errs, fmt.Errorf("%s is not installed; run %s %s", name, filepath.Join(dir, "install"), name))
			continue
		}
		out, err := p.run(ctx, "--list")
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.cases = strings.Fields(string(out))
		programs = append(programs, p)
	}
	return programs, errors.Join(errs...)
}

// AsPeers returns the programs as peers.
func AsPeers(programs []*Program) []Peer {
	var peers []Peer
	for _, p := range programs {
		peers = append(peers, p)
	}
	return peers
}

// Name returns the program's label.
func (p *Program) Name() string { return p.Label }

// run runs the program and returns what it printed.
func (p *Program) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.argv[0], slices.Concat(p.argv[1:], p.Args, args)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TI_") }) // which Taichi reads too
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s failed: %w\n%s", p.Name(), err, LastLines(failure.String(), 5))
	}
	return out, nil
}

// LastLines returns the last n lines of a text.
func LastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Has reports whether the program has a case.
func (p *Program) Has(name string) bool { return slices.Contains(p.cases, name) }

// Measure runs one case.
func (p *Program) Measure(ctx context.Context, name string, threads int) (Timing, error) {
	args := []string{"--only", name}
	if threads > 0 && !p.OneCore {
		args = append(args, "--threads", strconv.Itoa(threads))
	}
	out, err := p.run(ctx, args...)
	if err != nil {
		return Timing{}, err
	}
	return parseTiming(string(out), p.Name(), name)
}

// First returns the milliseconds of a case's first launch less those of a later one.
func (p *Program) First(ctx context.Context, name string) (float64, error) {
	out, err := p.run(ctx, "--first", "--only", name)
	if err != nil {
		return 0, err
	}
	t, err := parseTiming(string(out), p.Name(), name)
	return float64(t.Median) / float64(time.Millisecond), err
}

// A Refusal is the error of a peer that cannot run a case, in its own words.
type Refusal struct{ Peer, Case, Why string }

func (e *Refusal) Error() string { return fmt.Sprintf("%s cannot run %s: %s", e.Peer, e.Case, e.Why) }

// timingLine is what all peers print for a case: its name, two times in microseconds, a checksum.
var timingLine = regexp.MustCompile(`^(\w+)\s+([0-9.]+) us\s+min\s+([0-9.]+)\s+check\s+(\S+)$`)

// parseTiming finds the line of a case in what a peer printed.
func parseTiming(out, peer, name string) (Timing, error) {
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		if rest, is := strings.CutPrefix(lines.Text(), name+" "); is {
			if why, is := strings.CutPrefix(strings.TrimSpace(rest), "failed: "); is {
				return Timing{}, &Refusal{peer, name, why}
			}
		}
		m := timingLine.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		if m == nil || m[1] != name {
			continue
		}
		var v [3]float64
		for i := range v {
			f, err := strconv.ParseFloat(m[i+2], 64)
			if err != nil {
				return Timing{}, fmt.Errorf("%s printed a number for %s that is none: %w", peer, name, err)
			}
			v[i] = f
		}
		us := float64(time.Microsecond)
		return Timing{Median: time.Duration(v[0] * us), Min: time.Duration(v[1] * us), Check: v[2]}, nil
	}
	return Timing{}, fmt.Errorf("%s printed no result for %s but:\n%s", peer, name, LastLines(out, 3))
}
