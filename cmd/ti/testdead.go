package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A deadConfig is a way to build the project, and what starts running in it.
type deadConfig struct {
	goos, goarch string
	tags         []string
	tests        bool // tests start running, too, beside programs
}

// deadConfigs lists the ways in which dead code is looked for. Tests do not build with the tag ti_ahead, which leaves out
// the oracle that they compare with, nor on other systems all of them.
func deadConfigs(all bool) []deadConfig {
	configs := []deadConfig{
		{goos: runtime.GOOS, goarch: runtime.GOARCH, tests: true},
		{goos: runtime.GOOS, goarch: runtime.GOARCH, tags: []string{"ti_ahead"}},
	}
	if all {
		for _, t := range platforms(true) {
			configs = append(configs, deadConfig{goos: t[0], goarch: t[1]})
		}
	}
	return configs
}

// has reports whether a file is built.
func (c *deadConfig) has(root, file string) (bool, error) {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.BuildTags, ctx.CgoEnabled = c.goos, c.goarch, c.tags, false
	dir, name := filepath.Split(filepath.Join(root, file))
	return ctx.MatchFile(dir, name)
}

// A deadFunc is a function that nothing reaches in some way to build the project.
type deadFunc struct {
	name, file string // the file below the root
	line       int
}

// dead finds the functions that nothing reaches.
func (t *tester) dead() (string, error) {
	// go tool would build it for the system that is asked for.
	tool, err := builder(t.root, "tool", "-n", "deadcode").Output()
	if err != nil {
		return "", err
	}
	configs := deadConfigs(t.all)
	found := make([][]deadFunc, len(configs))
	for i, c := range configs {
		out, err := c.deadcode(strings.TrimSpace(string(tool)), t.root)
		if err == nil {
			found[i], err = readDead(out)
		}
		if err != nil {
			return "", err
		}
	}
	dead, err := deadInAll(found, func(config int, file string) (bool, error) { return configs[config].has(t.root, file) })
	if err != nil || len(dead) == 0 {
		return "", err
	}
	var lines []string
	for _, f := range dead {
		lines = append(lines, fmt.Sprintf("%s:%d: nothing reaches func %s", f.file, f.line, f.name))
	}
	return strings.Join(lines, "\n"), errors.New("these functions are dead: delete them, or call them")
}

// deadcode runs the tool, which reads the sources as the configuration has them.
func (c *deadConfig) deadcode(tool, root string) ([]byte, error) {
	args := []string{"-json", "-tags=" + strings.Join(c.tags, ",")}
	if c.tests {
		args = append(args, "-test")
	}
	cmd := exec.Command(tool, append(args, "./...")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+c.goos, "GOARCH="+c.goarch)
	var said bytes.Buffer // apart, since it also tells of downloads
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &said)
	}
	return out, err
}

// readDead reads what deadcode -json prints.
func readDead(out []byte) (dead []deadFunc, err error) {
	var packages []struct {
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(out, &packages); err != nil {
		return nil, fmt.Errorf("deadcode printed something else than JSON: %w", err)
	}
	for _, p := range packages {
		for _, f := range p.Funcs {
			dead = append(dead, deadFunc{f.Name, filepath.ToSlash(f.Position.File), f.Position.Line})
		}
	}
	return dead, nil
}

// deadInAll returns the functions that are dead in each configuration that builds them.
func deadInAll(found [][]deadFunc, has func(config int, file string) (bool, error)) (dead []deadFunc, err error) {
	for i, some := range found {
		for _, f := range some {
			if slices.Contains(dead, f) {
				continue
			}
			reached := false
			for j, others := range found {
				if j == i || slices.Contains(others, f) {
					continue
				}
				built, err := has(j, f.file)
				if err != nil {
					return nil, err
				}
				reached = reached || built
			}
			if !reached {
				dead = append(dead, f)
			}
		}
	}
	return dead, nil
}
