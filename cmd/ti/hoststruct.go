package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"
	"path/filepath"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/hostgen"
)

type bindCmd struct {
	Files   []string         `arg:"" type:"path" name:"file" help:"The source: its file, or all of them."`
	Library script.Libraries `embed:""`
	Package string           `placeholder:"NAME" default:"main" help:"Name of the package."`
	Type    string           `placeholder:"NAME" help:"Name of the struct; that of the source's package by default."`
	Bind    []string         `sep:"none" placeholder:"NAME=VALUE" help:"The value of a constant of the host on which types depend."`
	Out     string           `short:"o" type:"path" placeholder:"FILE" help:"The file; standard output by default."`
}

// Run writes the struct.
func (c *bindCmd) Run(std *stdio) error {
	sources, errs, err := readSources(c.Files, &c.Library)
	switch {
	case err != nil:
		return err
	case len(sources) > 1:
		return severalSources(len(sources))
	}
	for _, files := range sources {
		errs = append(errs, check.Mistakes(files)...)
	}
	if len(errs) > 0 {
		fmt.Fprintln(std.err, errs.Sort())
		return errReported
	}
	pkg, _ := check.Declare(sources[0])
	pkg = script.DeclareBound(pkg, c.Bind)
	for _, v := range pkg.Vars {
		if err := script.DependsOnConstants(pkg, v.Type); err != nil {
			return fmt.Errorf("var %s: %w", v.Name, err)
		}
	}
	out := &outDir{host: &hostgen.Host{Package: c.Package, Type: c.Type, Command: commandLine(std.args)}}
	if err := out.named(pkg.Name); err != nil {
		return err
	}
	for _, f := range c.Files {
		out.host.Sources = append(out.host.Sources, filepath.Base(f))
	}
	vars(out.host, pkg)
	for _, d := range pkg.Kernels {
		out.host.Kernels = append(out.host.Kernels, hostgen.Kernel{Name: d.Name, Params: d.Params, Results: d.Results})
	}
	text, left, err := out.host.WriteStruct()
	if err != nil {
		return err
	}
	for _, l := range left {
		fmt.Fprintf(std.err, "left out: %v\n", l)
	}
	if c.Out != "" {
		return script.WriteFile(c.Out, text)
	}
	_, err = std.out.Write(text)
	return err
}
