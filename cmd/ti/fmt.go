package main

import (
	"github.com/gotaichi/ti/internal/script"

	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"os"
	"path/filepath"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/rogpeppe/go-internal/diff"
)

type fmtCmd struct {
	Diff  bool     `short:"d" help:"Only print what would change, as a diff, and fail if anything would."`
	List  bool     `short:"l" help:"Only list the files that would change, and fail if there are any."`
	Files []string `arg:"" optional:"" type:"path" help:"Sources to format in place; without any, standard input is formatted to standard output."`
}

// Run formats files. A file with syntax errors stays as it is.
func (c *fmtCmd) Run(std *stdio) error {
	if len(c.Files) == 0 {
		text, err := script.ReadAll(std.in, script.MostSource)
		if err != nil {
			return fmt.Errorf("standard input is no source: %w", err)
		}
		neat, err := formatSource("standard input", text)
		if err != nil {
			return sourceError(std, err)
		}
		if c.Diff {
			if !c.diff(std, "standard input", text, neat) {
				return nil
			}
			return errReported
		}
		_, err = std.out.Write(neat)
		return err
	}
	failed := false
	for _, name := range c.Files {
		changed, err := c.file(std, name)
		if err != nil {
			failed = true
			if err = sourceError(std, err); err != errReported {
				fmt.Fprintf(std.err, "ti: %v\n", err)
			}
		}
		failed = failed || changed && (c.List || c.Diff)
	}
	if failed {
		return errReported
	}
	return nil
}

// file formats one file and reports whether it changed.
func (c *fmtCmd) file(std *stdio, name string) (bool, error) {
	text, err := script.ReadSource(name)
	if err != nil {
		return false, err
	}
	neat, err := formatSource(script.Display(name), text)
	if err != nil || bytes.Equal(neat, text) {
		return false, err
	}
	if c.List {
		fmt.Fprintln(std.out, script.Display(name))
	}
	if c.Diff {
		c.diff(std, script.Display(name), text, neat)
	}
	if c.List || c.Diff {
		return true, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() { // which the text would replace
		return false, fmt.Errorf("%s is a device or pipe, and is left as it is; ti fmt without a file formats standard input", script.Display(name))
	}
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return false, err
	}
	// Written beside it first: a full disk must not cost the user the source.
	next := name + ".ti-fmt"
	if err := script.WriteFile(next, neat); err != nil {
		return false, fmt.Errorf("%s stays as it was: %w", script.Display(name), err)
	}
	return true, errors.Join(os.Chmod(next, info.Mode().Perm()), os.Rename(next, name))
}

// diff prints what would change, and reports whether anything would.
func (c *fmtCmd) diff(std *stdio, name string, text, neat []byte) bool {
	changes := diff.Diff(name+".orig", text, name, neat)
	_, _ = std.out.Write(changes)
	return len(changes) > 0
}

func formatSource(name string, text []byte) ([]byte, error) {
	// Our own parser first: its messages are about this language, not about Go.
	if _, errs := syntax.Parse(name, string(text), token.Position{}); len(errs) > 0 {
		return nil, errs
	}
	return format.Source(text)
}
