package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

type examplesCmd struct {
	List struct{}       `cmd:"" default:"1" help:"List the examples."`
	Run_ examplesRunCmd `cmd:"" name:"run" help:"Run an example."`
}

// Run lists the examples with the first sentence of what each says of itself.
func (c *examplesCmd) Run(io *stdio) error {
	if c.Run_.Name != "" {
		return c.Run_.start(io)
	}
	root, err := checkout()
	if err != nil {
		return err
	}
	names, err := exampleNames(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		fmt.Fprintf(io.out, "%-14s %s\n", name, aboutExample(root, name))
	}
	return nil
}

type examplesRunCmd struct {
	Name string `arg:"" help:"The example."`
	Out  string `default:"out" type:"path" help:"Folder for pictures."`
}

func (c *examplesRunCmd) start(io *stdio) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	names, err := exampleNames(root)
	if err != nil {
		return err
	}
	if i := sort.SearchStrings(names, c.Name); i == len(names) || names[i] != c.Name {
		return fmt.Errorf("there is no example %q; there are %s", c.Name, strings.Join(names, ", "))
	}
	cmd := goCommand(root, "run", "./examples/"+c.Name, "-out", c.Out)
	cmd.Stdout, cmd.Stderr = io.out, io.err
	return cmd.Run()
}

// checkout returns the root of the project that the working directory is in.
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/gotaichi/ti\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("this command works in a checkout of the project: git clone https://github.com/gotaichi/ti, then run it there")
		}
		dir = up
	}
}

// exampleNames returns the folders of examples in alphabetical order.
func exampleNames(root string) ([]string, error) {
	mains, err := filepath.Glob(filepath.Join(root, "examples", "*", "main.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range mains {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	sort.Strings(names)
	return names, nil
}

// aboutExample returns the sentence about an example in its README.
func aboutExample(root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, "examples", name, "README.md"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && line[0] != '!' {
			return line
		}
	}
	return ""
}

// goCommand returns a go command that runs in the project's root without cgo.
func goCommand(root string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}

// builder returns a go command that compiles, checks or tests. Such processes allocate
// much and live for moments, so they may let twice as much garbage lie.
func builder(root string, args ...string) *exec.Cmd {
	cmd := goCommand(root, args...)
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC=200")
	}
	return cmd
}
