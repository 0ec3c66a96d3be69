package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/hostgen"
)

// An outDir is a folder that gets a package.
type outDir struct {
	dir   string
	host  *hostgen.Host
	files []outFile
}

type outFile struct {
	name string
	data []byte
}

// named fills in the names that the flags leave open; source is the name of the source's
// package.
func (o *outDir) named(source string) error {
	if o.host.Package == "" {
		if o.host.Package = filepath.Base(o.dir); !token.IsIdentifier(o.host.Package) {
			o.host.Package = source
		}
	}
	if o.host.Type == "" {
		o.host.Type = strings.ToUpper(source[:1]) + source[1:]
	}
	for flag, name := range map[string]string{"-package": o.host.Package, "-type": o.host.Type} {
		if !token.IsIdentifier(name) {
			return fmt.Errorf("%s %s: it is no name in Go", flag, name)
		}
	}
	return nil
}

// add adds the kernels of a level.
func (o *outDir) add(l ahead.Level, data []byte) {
	name := l.String() + ahead.Ending
	o.files = append(o.files, outFile{name, data})
	o.host.Files = append(o.host.Files, hostgen.File{Name: name, Arch: l.Arch()})
}

// Names of generated files. Those of an architecture end as go build wants it.
const (
	hostFile = "ti_host.go"
	codeFile = "ti_code_%s.go"
)

// write writes the package, and removes what an earlier command has left of other levels.
func (o *outDir) write(std *stdio, host []byte) error {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	all := append(o.files, outFile{hostFile, host})
	for _, arch := range []string{"amd64", "arm64", ""} {
		name := fmt.Sprintf(codeFile, arch)
		if arch == "" {
			name = fmt.Sprintf(codeFile, "none")
		} else if !slices.ContainsFunc(o.host.Files, func(f hostgen.File) bool { return f.Arch == arch }) {
			continue
		}
		data, err := o.host.WriteCode(arch)
		if err != nil {
			return err
		}
		all = append(all, outFile{name, data})
	}
	if err := o.removeOthers(all); err != nil {
		return err
	}
	total := 0
	for _, f := range all {
		name := filepath.Join(o.dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if old, err := os.ReadFile(name); err == nil && string(old) == string(f.data) {
			continue // the source in its place, for one
		}
		if err := script.WriteFile(name, f.data); err != nil {
			return fmt.Errorf("the package is not written: %w", err)
		}
	}
	for _, f := range o.files {
		if strings.HasSuffix(f.name, ahead.Ending) {
			total += len(f.data)
		}
	}
	fmt.Fprintf(std.err, "wrote package %s to %s: %d KB of code for %d levels of processors\n", o.host.Package, script.Display(o.dir), (total+1023)/1024, len(o.host.Files))
	return nil
}

// removeOthers removes files with code that are not among all.
func (o *outDir) removeOthers(all []outFile) error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		old, code := strings.CutSuffix(e.Name(), ahead.Ending)
		if code {
			_, err := ahead.ParseLevel(old)
			code = err == nil
		}
		generated := e.Name() == fmt.Sprintf(codeFile, "amd64") || e.Name() == fmt.Sprintf(codeFile, "arm64")
		if !code && !generated || slices.ContainsFunc(all, func(f outFile) bool { return f.name == e.Name() }) {
			continue
		}
		if err := os.Remove(filepath.Join(o.dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
