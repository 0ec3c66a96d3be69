package main

import (
	"github.com/gotaichi/ti/internal/script"

	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"
)

type demoCmd struct {
	Out string `default:"out" type:"path" help:"Folder for pictures."`
	All bool   `help:"Run each example in full, not its short form; some half an hour."`
}

// exampleResult is what an example prints with -json.
type exampleResult struct {
	Example   string
	Work      string
	CompileMs float64 `json:"compile_ms"`
	RunMs     float64 `json:"run_ms"`
	Rate      string
	File      string
}

// Run makes sure of libLLVM, builds the command and the examples, runs them one
// after another and prints a table.
func (c *demoCmd) Run(io *stdio) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	env, err := backend(io)
	if err != nil {
		return err
	}
	names, err := exampleNames(root)
	if err != nil {
		return err
	}
	bin := filepath.Join(root, "bin")
	fmt.Fprintln(io.err, "building ti and the examples")
	start := time.Now()
	// Without symbols for debuggers a program links in half the time, and there are many.
	build := builder(root, "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./cmd/ti", "./examples/...")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	fmt.Fprintf(io.err, "built in %.0f s: %s\n", time.Since(start).Seconds(), script.Display(filepath.Join(bin, "ti")))

	var results []exampleResult
	failed := false
	for _, name := range names {
		r, err := c.example(io, filepath.Join(bin, executable(name)), env)
		if err != nil {
			failed = true
			fmt.Fprintf(io.err, "%s failed: %v\n", name, err)
			continue
		}
		results = append(results, r)
	}
	table(io, results)
	if failed {
		return errReported
	}
	return nil
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// example runs one example with more environment, its progress on standard error.
func (c *demoCmd) example(io *stdio, path string, env []string) (r exampleResult, err error) {
	var out bytes.Buffer
	args := []string{"-out", c.Out, "-json"}
	if !c.All {
		args = append(args, "-short")
	}
	cmd := exec.Command(path, args...)
	cmd.Env = withBackend(env)
	cmd.Stdout, cmd.Stderr = &out, io.err
	if err := cmd.Run(); err != nil {
		return r, err
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("its result is not understood: %w", err)
	}
	return r, nil
}

func table(io *stdio, results []exampleResult) {
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "example\twork done\tcompile\trun\trate\tfile")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%.0f ms\t%.2f s\t%s\t%s\n",
			r.Example, r.Work, r.CompileMs, r.RunMs/1e3, r.Rate, script.Display(r.File))
	}
	w.Flush() // to io.out, which has nowhere better to report a failure
}
