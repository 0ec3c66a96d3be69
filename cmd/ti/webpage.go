package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed webpage.html
var pageHTML string

type pageCmd struct {
	Program string `arg:"" help:"The program: a Go package, such as ./examples/julia."`
	Out     string `short:"o" default:"page" help:"The folder for the page."`
	Tags    string `placeholder:"LIST" help:"Tags of the build, with commas: ti_ahead for a program that has its kernels as modules (ti build -cpu wasm), and no compiler."`
	Serve   string `placeholder:"ADDRESS" help:"Serve the page, as on localhost:8080, until interrupted: browsers load no WebAssembly from files."`

	flags []string // of go build, besides
}

// The files of a page.
const (
	pageIndex   = "index.html"
	pageProgram = "program.wasm"
	pageRuntime = "wasm_exec.js"
)

// Run builds a program for a page, and writes the page.
func (c *pageCmd) Run(io *stdio) error {
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	name, err := c.build(io)
	if err != nil {
		return err
	}
	if err := c.copyRuntime(); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := template.Must(template.New(pageIndex).Parse(pageHTML)).Execute(&page, struct{ Name string }{name}); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.Out, pageIndex), page.Bytes(), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "%s: %s, for any server of files\n", filepath.Join(c.Out, pageIndex), name)
	if c.Serve == "" {
		return nil
	}
	return c.serve(io)
}

// build compiles the program, and returns its name.
func (c *pageCmd) build(io *stdio) (name string, err error) {
	list := exec.Command("go", "list", "-f", "{{.Name}} {{.ImportPath}}", c.Program)
	list.Stderr = io.err
	found, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("%s is no Go package that can be built: %w", c.Program, err)
	}
	kind, path, _ := strings.Cut(strings.TrimSpace(string(found)), " ")
	if kind != "main" || strings.ContainsAny(path, " \n") {
		return "", fmt.Errorf("%s is no program: a page runs one package main", c.Program)
	}
	file, err := filepath.Abs(filepath.Join(c.Out, pageProgram))
	if err != nil {
		return "", err
	}
	build := exec.Command("go", slices.Concat([]string{"build", "-ldflags", "-s -w", "-tags", c.Tags, "-o", file}, c.flags, []string{c.Program})...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stdout, build.Stderr = io.err, io.err
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("%s cannot be built for a page: %w", c.Program, err)
	}
	return path[strings.LastIndex(path, "/")+1:], nil
}

// copyRuntime copies what Go programs need in a page, of the Go that has compiled this one.
func (c *pageCmd) copyRuntime() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", pageRuntime))
	if err != nil {
		return fmt.Errorf("this installation of Go lacks what programs in a page need: %w", err)
	}
	return os.WriteFile(filepath.Join(c.Out, pageRuntime), data, 0o666)
}

// serve serves the page.
func (c *pageCmd) serve(io *stdio) error {
	l, err := net.Listen("tcp", c.Serve)
	if err != nil {
		return fmt.Errorf("the page cannot be served: %w", err)
	}
	fmt.Fprintf(io.out, "http://%s/\n", l.Addr())
	if err := http.Serve(l, http.FileServer(http.Dir(c.Out))); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
