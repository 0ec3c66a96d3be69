package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"os"

	"github.com/gotaichi/ti/internal/syntax"
)

type fmtCmd struct {
	List  bool     `short:"l" help:"Only list the files that would change, and fail if there are any."`
	Files []string `arg:"" optional:"" type:"path" help:"Sources to format in place; without any, standard input is formatted to standard output."`
}

// Run formats files. A file with syntax errors stays as it is.
func (c *fmtCmd) Run(std *stdio) error {
	if len(c.Files) == 0 {
		text, err := io.ReadAll(std.in)
		if err != nil {
			return err
		}
		neat, err := formatSource("standard input", text)
		if err != nil {
			return c.report(std, err)
		}
		_, err = std.out.Write(neat)
		return err
	}
	failed := false
	for _, name := range c.Files {
		changed, err := c.file(std, name)
		if err != nil {
			failed = true
			fmt.Fprintln(std.err, err)
		}
		failed = failed || changed && c.List
	}
	if failed {
		return errReported
	}
	return nil
}

func (c *fmtCmd) report(std *stdio, err error) error {
	fmt.Fprintln(std.err, err)
	return errReported
}

// file formats one file and reports whether it changed.
func (c *fmtCmd) file(std *stdio, name string) (bool, error) {
	text, err := readSource(name)
	if err != nil {
		return false, err
	}
	neat, err := formatSource(display(name), text)
	if err != nil || bytes.Equal(neat, text) {
		return false, err
	}
	if c.List {
		fmt.Fprintln(std.out, display(name))
		return true, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(name, neat, info.Mode().Perm())
}

func formatSource(name string, text []byte) ([]byte, error) {
	// Our own parser first: its messages are about this language, not about Go.
	if _, errs := syntax.Parse(name, string(text), token.Position{}); len(errs) > 0 {
		return nil, errs
	}
	return format.Source(text)
}
