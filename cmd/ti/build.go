package main

import (
	"github.com/gotaichi/ti/internal/script"

	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/hostgen"
	"github.com/gotaichi/ti/internal/llvm"
	sessions "github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/targets"
	"github.com/gotaichi/ti/internal/variant"
)

type buildCmd struct {
	Files   []string         `arg:"" optional:"" type:"path" name:"file" help:"The source: its file, or all of them."`
	Tree    []string         `sep:"none" placeholder:"TREE" help:"Place fields in a tree, as for run. A size of an outermost dense node may be a name: then it is a parameter of the constructor."`
	Bind    []string         `sep:"none" placeholder:"NAME=WHAT" help:"Bind a field to a shape that stays free (D2, or f32:D2), or to a fixed one (1024x512, scalar); a constant to a value; a part of a bundle by its path."`
	Program string           `name:"run" placeholder:"COMMAND" help:"Instead of a source: compile what this program launches, such as 'go run ./cmd/sim -short'."`
	Out     string           `short:"o" type:"path" placeholder:"DIR" help:"The folder of the package."`
	Package string           `placeholder:"NAME" help:"Name of the package; that of the folder by default."`
	Type    string           `placeholder:"NAME" help:"Name of the struct; that of the source's package by default."`
	CPU     []string         `name:"cpu" placeholder:"LEVEL,…" help:"Processors to compile for: x86-64-v2, x86-64-v3, x86-64-v4, arm64 (all four by default), and these behind windows-; or wasm, for any machine and for pages."`
	Library script.Libraries `embed:""`
	Device  deviceFlags      `embed:""`
}

// Run writes the package.
func (c *buildCmd) Run(std *stdio) error {
	levels, err := ahead.ParseLevels(strings.Join(c.CPU, ","))
	switch {
	case err != nil:
		return fmt.Errorf("-cpu: %w", err)
	case c.Out == "":
		return fmt.Errorf("-o is missing: the folder of the package, such as -o sim")
	case c.Program != "" && len(c.Files)+len(c.Tree)+len(c.Bind) > 0:
		return fmt.Errorf("-run compiles what a program launches; leave out the source, -tree and -bind")
	case c.Program == "" && len(c.Files) == 0:
		return fmt.Errorf("there is nothing to compile: name a source, or give a program with -run")
	case c.Device.Arch == ti.Oracle:
		return fmt.Errorf("-arch oracle makes no code")
	case c.Device.Arch == ti.Vulkan:
		return fmt.Errorf("-arch vulkan: code for Vulkan is made when a program runs; -cpu names processors to compile for")
	case c.Device.Arch == ti.Wasm:
		return fmt.Errorf("-arch wasm: -cpu wasm makes modules")
	}
	if len(c.CPU) == 0 {
		levels = withBackEnds(std, levels)
	}
	out := &outDir{dir: c.Out, host: &hostgen.Host{Package: c.Package, Type: c.Type, Command: commandLine(std.args)}}
	if c.Program != "" {
		return c.record(std, out, levels)
	}
	return c.compile(std, out, levels)
}

// withBackEnds leaves out the levels, of those that nobody has named, for which this libLLVM makes no code.
func withBackEnds(std *stdio, levels []ahead.Level) (can []ahead.Level) {
	lib, err := llvm.Default()
	if err != nil {
		return levels // what needs the library says so
	}
	for _, l := range levels {
		if !lib.Makes(l.Arch()) {
			fmt.Fprintf(std.err, "left out: %v: libLLVM %s makes no code for it\n", l, lib.Path())
			continue
		}
		can = append(can, l)
	}
	return can
}

// commandLine writes arguments as a shell reads them.
func commandLine(args []string) string {
	out := []string{"ti"}
	for _, a := range args {
		if !plainArgument.MatchString(a) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}

var plainArgument = regexp.MustCompile(`^[\w./:=,@%+-]+$`)

// record runs a program that records what it launches.
func (c *buildCmd) record(std *stdio, out *outDir, levels []ahead.Level) error {
	if err := out.named("code"); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "ti-build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var names []string
	for _, l := range levels {
		names = append(names, l.String())
	}
	cmd := exec.Command("sh", "-c", c.Program)
	cmd.Env = append(os.Environ(), "TI_RECORD="+scratch, "TI_RECORD_FOR="+strings.Join(names, ","), "TI_RECORD_BY="+out.host.Command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = std.in, std.err, std.err // standard output is this command's
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("-run %s: %w", c.Program, err)
	}
	for _, l := range levels {
		data, err := os.ReadFile(filepath.Join(scratch, l.String()+ahead.Ending))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-run %s: the program has launched no kernel, or has not closed its runtime", c.Program)
		} else if err != nil {
			return err
		}
		out.add(l, data)
	}
	host, err := out.host.WriteRecorded()
	if err != nil {
		return err
	}
	return out.write(std, host)
}

// compile compiles the kernels of a source.
func (c *buildCmd) compile(std *stdio, out *outDir, levels []ahead.Level) error {
	c.Library.ByPath = true // for errors of a program that runs elsewhere
	plan, err := newPlan(c.Tree, c.Bind)
	if err != nil {
		return err
	}
	s, err := script.Open(script.Options{Config: c.Device.config(), Files: c.Files, Libraries: c.Library, Trees: c.Tree, Binds: plan.binds, Sizes: plan.sizes})
	if err != nil {
		return sourceError(std, err)
	}
	defer s.Runtime.Close()
	if err := out.named(s.Package.Name); err != nil {
		return err
	}
	if err := plan.describe(out.host, s, c.Files); err != nil {
		return err
	}
	host, without, err := out.host.WritePackage() // before anything is compiled
	if err != nil {
		return err
	}
	var to []variant.AheadTarget
	for _, l := range levels {
		compiler, err := targets.ForLevel(l)
		if err != nil {
			return err
		}
		about := ahead.About{Version: front.Version(), Command: out.host.Command}
		to = append(to, variant.AheadTarget{Compiler: compiler, Builder: ahead.NewBuilder(l, about)})
	}
	if err := (*sessions.Program)(s.Program).Ahead(to, plan.group); err != nil {
		return err
	}
	for _, t := range to {
		out.add(t.Level(), t.Bytes())
	}
	for _, f := range c.Files {
		text, err := script.ReadSource(f)
		if err != nil {
			return err
		}
		out.files = append(out.files, outFile{filepath.Base(f), text})
	}
	for _, f := range s.Imported { // whose names begin with their paths
		out.files = append(out.files, outFile{path.Join(hostgen.LibraryDir, f.Name), []byte(f.Text)})
	}
	if err := out.write(std, host); err != nil {
		return err
	}
	for _, l := range without {
		fmt.Fprintf(std.err, "left out: %v\n", l)
	}
	if len(out.host.Left) > 0 {
		fmt.Fprintln(std.err, "-run compiles what a program launches")
	}
	return nil
}
