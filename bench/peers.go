package main

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
)

// A peer is another program that runs the same cases.
type peer struct {
	name  string
	argv  []string
	cases []string // those that it has
}

// peerNames are the peers there are, in the order in which they are printed.
var peerNames = []string{"taichi", "quadrants", "numba", "warp", "limits"}

// findPeers returns the named peers, and an error that says how to install one that is missing.
func findPeers(ctx context.Context, dir, names string) ([]*peer, error) {
	if names == "" {
		return nil, nil
	}
	var peers []*peer
	var errs []error
	for name := range strings.SplitSeq(names, ",") {
		if !slices.Contains(peerNames, name) {
			return nil, fmt.Errorf("there is no peer %q; there are %s", name, strings.Join(peerNames, ", "))
		}
		p := &peer{name: name}
		python := filepath.Join(dir, ".venv-"+name, "bin", "python")
		switch name {
		case "limits":
			p.argv = []string{filepath.Join(dir, "limits")}
		case "taichi", "quadrants":
			p.argv = []string{python, filepath.Join(dir, "taichi_bench.py"), "--module", name}
		default:
			p.argv = []string{python, filepath.Join(dir, name+"_bench.py")}
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
		peers = append(peers, p)
	}
	return peers, errors.Join(errs...)
}

// run runs the peer's program and returns what it printed.
func (p *peer) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.argv[0], append(slices.Clone(p.argv[1:]), args...)...)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s failed: %w\n%s", p.name, err, lastLines(failure.String(), 5))
	}
	return out, nil
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// has reports whether the peer has a case.
func (p *peer) has(name string) bool { return slices.Contains(p.cases, name) }

// measure runs one case.
func (p *peer) measure(ctx context.Context, name string, threads int) (timing, error) {
	args := []string{"--only", name}
	if threads > 0 && p.name != "warp" { // its CPU device has one thread
		args = append(args, "--threads", strconv.Itoa(threads))
	}
	out, err := p.run(ctx, args...)
	if err != nil {
		return timing{}, err
	}
	return parseTiming(string(out), p.name, name)
}

// timingLine is what all peers print for a case: its name, two times in microseconds, a checksum.
var timingLine = regexp.MustCompile(`^(\w+)\s+([0-9.]+) us\s+min\s+([0-9.]+)\s+check\s+(\S+)$`)

// parseTiming finds the line of a case in what a peer printed.
func parseTiming(out, peer, name string) (timing, error) {
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		m := timingLine.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		if m == nil || m[1] != name {
			continue
		}
		var v [3]float64
		for i := range v {
			f, err := strconv.ParseFloat(m[i+2], 64)
			if err != nil {
				return timing{}, fmt.Errorf("%s printed a number for %s that is none: %w", peer, name, err)
			}
			v[i] = f
		}
		us := float64(time.Microsecond)
		return timing{median: time.Duration(v[0] * us), min: time.Duration(v[1] * us), check: v[2]}, nil
	}
	return timing{}, fmt.Errorf("%s printed no result for %s but:\n%s", peer, name, lastLines(out, 3))
}
