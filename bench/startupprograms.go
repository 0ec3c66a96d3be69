package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A way is how a program comes to the code of its kernels.
type way int

const (
	compiledAnew way = iota
	fromCache
	aheadOfTime
)

// programs builds what is measured, each once, in a folder that is deleted at the end.
type programs struct {
	dir     string
	threads int
	built   map[string]bool
}

func newPrograms(_ context.Context, threads int) (*programs, error) {
	dir, err := os.MkdirTemp("", "ti-bench-")
	return &programs{dir: dir, threads: threads, built: map[string]bool{}}, err
}

func (p *programs) close() { _ = os.RemoveAll(p.dir) }

// build returns the file of a program of this module.
func (p *programs) build(ctx context.Context, pkg string, flags ...string) (string, error) {
	name := filepath.Join(p.dir, filepath.Base(pkg)+strings.Join(flags, ""))
	if p.built[name] {
		return name, nil
	}
	args := append([]string{"build", "-ldflags=-s -w", "-o", name}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := output(cmd)
	p.built[name] = err == nil
	return name, err
}

// The programs that are started, and the one whose size is reported.
const (
	twoKernels = "./bench/twokernels"
	project    = "./docs/your-project"
)

// A target is what kernels run on: its name, the tags of a program without a compiler, and what code is recorded for.
type target struct{ arch, tags, levels string }

func (t target) env() string { return "TI_ARCH=" + t.arch }

var (
	native  = target{"llvm", "ti_ahead", ""}
	modules = target{"wasm", "ti_ahead,ti_wasm", "wasm"}
)

// program returns the command that runs a program in a way.
func (p *programs) program(ctx context.Context, pkg string, how way, on target) (*exec.Cmd, error) {
	program, err := p.build(ctx, pkg)
	if err != nil {
		return nil, err
	}
	place := filepath.Join(p.dir, filepath.Base(pkg)+"-"+on.arch)
	cache, code := place+"-cache", place+"-code"
	switch how {
	case compiledAnew:
		return command(ctx, program, on.env(), "TI_CACHE=off"), nil
	case fromCache:
		return p.second(ctx, program, on.env(), "TI_CACHE_DIR="+cache)
	}
	if !p.built[code] {
		if _, err := output(command(ctx, program, on.env(), "TI_CACHE=off", "TI_RECORD="+code, "TI_RECORD_FOR="+on.levels)); err != nil {
			return nil, err
		}
		p.built[code] = true
	}
	if program, err = p.build(ctx, pkg, "-tags="+on.tags); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(code, "*"))
	if err != nil {
		return nil, err
	}
	list := ""
	for _, f := range files {
		list += f + string(os.PathListSeparator)
	}
	return command(ctx, program, on.env(), "TI_CODE="+list[:max(0, len(list)-1)]), nil
}

// second returns a command that was run once before.
func (p *programs) second(ctx context.Context, program string, env ...string) (*exec.Cmd, error) {
	if key := "second " + program + env[0]; !p.built[key] {
		if _, err := output(command(ctx, program, env...)); err != nil {
			return nil, err
		}
		p.built[key] = true
	}
	return command(ctx, program, env...), nil
}

func command(ctx context.Context, program string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// starting measures a program of two small kernels from its start to its end: milliseconds, or the megabytes that
// were resident.
func starting(how way, on target, memory bool) func(context.Context, *programs) (sampled, error) {
	return func(ctx context.Context, p *programs) (sampled, error) {
		cmd, err := p.program(ctx, twoKernels, how, on)
		if err != nil {
			return sampled{}, err
		}
		return run(cmd, memory)
	}
}

func run(cmd *exec.Cmd, memory bool) (sampled, error) {
	start := time.Now()
	if _, err := output(cmd); err != nil {
		return sampled{}, err
	}
	s := sampled{Value: milliseconds(time.Since(start)), CPU: milliseconds(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())}
	if memory {
		s = sampled{Value: resident(cmd.ProcessState)}
	}
	return s, nil
}

// solverFromCache runs the multigrid example, whose kernels are in the cache, from start to end.
func solverFromCache(ctx context.Context, p *programs) (sampled, error) {
	program, err := p.build(ctx, "./examples/mgpcg")
	if err != nil {
		return sampled{}, err
	}
	env := []string{"TI_CACHE_DIR=" + filepath.Join(p.dir, "solver")}
	once := func() *exec.Cmd {
		cmd := command(ctx, program, env...)
		cmd.Args, cmd.Dir = append(cmd.Args, "-short"), p.dir
		return cmd
	}
	if !p.built["solver"] {
		if _, err := output(once()); err != nil {
			return sampled{}, err
		}
		p.built["solver"] = true
	}
	return run(once(), false)
}

// compiling measures the time in the compiler of an example, summed over threads.
func compiling(example string) func(context.Context, *programs) (sampled, error) {
	return func(ctx context.Context, p *programs) (sampled, error) {
		program, err := p.build(ctx, "./examples/"+example)
		if err != nil {
			return sampled{}, err
		}
		cmd := command(ctx, program, "TI_CACHE=off")
		cmd.Args, cmd.Dir = append(cmd.Args, "-short", "-json"), p.dir
		out, err := output(cmd)
		if err != nil {
			return sampled{}, err
		}
		var result struct {
			CompileMs float64 `json:"compile_ms"`
		}
		if err := json.Unmarshal(out, &result); err != nil {
			return sampled{}, fmt.Errorf("the example printed no result but %q: %w", out, err)
		}
		return sampled{Value: result.CompileMs}, nil
	}
}

// inChild measures in a process that is this program.
func inChild(name string) func(context.Context, *programs) (sampled, error) {
	return func(ctx context.Context, p *programs) (s sampled, err error) {
		self, err := os.Executable()
		if err != nil {
			return s, fmt.Errorf("cannot find this program to start it again: %w", err)
		}
		out, err := output(exec.CommandContext(ctx, self, "-startup-child", name, "-threads", fmt.Sprint(p.threads)))
		if err != nil {
			return s, err
		}
		if err := json.Unmarshal(out, &s); err != nil {
			return s, fmt.Errorf("the process printed no measurement but %q", out)
		}
		return s, nil
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
