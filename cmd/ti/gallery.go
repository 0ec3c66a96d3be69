package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/internal/gallery"
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

type siteCmd struct {
	Out    string   `arg:"" help:"The folder for the site: a new one, or one with a site."`
	Scenes []string `sep:"none" placeholder:"FILE" help:"A scene for the gallery; without any, those of the examples."`
}

// Run writes the gallery and the playground.
func (c *siteCmd) Run(io *stdio) error {
	module, err := moduleDir()
	if err != nil {
		return err
	}
	all, err := scenesOf(c.Scenes)
	if len(c.Scenes) == 0 {
		all, err = gallery.Examples(module)
	}
	if err != nil {
		return err
	}
	if err := gallery.Free(c.Out); err != nil {
		return err
	}
	if err := writeSite(io, c.Out, module, all, len(c.Scenes) == 0); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "%s: %s, for any server of files\n", filepath.Join(c.Out, "index.html"), counted(len(all), "scene"))
	return nil
}

type serveCmd struct {
	Dir    string `arg:"" optional:"" help:"The folder whose scenes and sources (.scene, .ti) are shown; without one, the scenes of the examples."`
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the pages are served; port 0 lets the system choose one."`
}

// Run serves the gallery until it is interrupted.
func (c *serveCmd) Run(io *stdio) error {
	module, err := moduleDir()
	if err != nil {
		return err
	}
	all, err := c.scenes(module)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Listen) // before the program is built, which takes some time
	if err != nil {
		return fmt.Errorf("the pages cannot be served: %w; name another port with -listen, such as 127.0.0.1:0", err)
	}
	defer l.Close()
	dir, err := os.MkdirTemp("", "ti-serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeSite(io, dir, module, all, c.Dir == ""); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "http://%s/\n", l.Addr())
	return http.Serve(l, gallery.Handler(dir))
}

// scenes are those of the folder: its scenes, and its sources without one.
func (c *serveCmd) scenes(module string) ([]gallery.Scene, error) {
	if c.Dir == "" {
		return gallery.Examples(module)
	}
	files, err := filepath.Glob(filepath.Join(c.Dir, "*.scene"))
	if err != nil {
		return nil, err
	}
	all, err := scenesOf(files)
	if err != nil {
		return nil, err
	}
	sources, err := filepath.Glob(filepath.Join(c.Dir, "*.ti"))
	if err != nil {
		return nil, err
	}
	for _, file := range sources {
		name := strings.TrimSuffix(file, ".ti")
		if _, err := os.Stat(name + ".scene"); err == nil {
			continue
		}
		text, err := script.ReadSource(file)
		if err != nil {
			return nil, err
		}
		source, err := gallery.Source(file)
		if err != nil {
			return nil, err
		}
		title := filepath.Base(name)
		all = append(all, gallery.Scene{Name: gallery.NameOf(file), Title: title, Source: source, Lines: scene.Guess(title, string(text))})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has neither scenes nor sources: files ending in .scene or .ti", c.Dir)
	}
	return all, nil
}

func scenesOf(files []string) (all []gallery.Scene, err error) {
	for _, file := range files {
		s, err := gallery.Read(file)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// playground is the program of the pages.
const playground = "github.com/gotaichi/ti/playground"

// moduleDir is the folder of this module, in a checkout or as a module that requires it has it.
func moduleDir() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", playground).Output()
	if err != nil {
		why := err.Error()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			why, _, _ = strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
		}
		return "", fmt.Errorf("the program of the pages is not found (%s); run this in a checkout, or in a module that requires github.com/gotaichi/ti", why)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// writeSite builds the program of the pages, and writes the site, with the documents beside the scenes of the examples.
func writeSite(io *stdio, out, module string, all []gallery.Scene, documents bool) error {
	dir, err := os.MkdirTemp("", "ti-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := pageCmd{Program: playground, Out: dir, flags: smaller()}
	if _, err := p.build(io); err != nil {
		return err
	}
	if err := p.copyRuntime(); err != nil {
		return err
	}
	built, err := os.ReadFile(filepath.Join(dir, pageProgram))
	if err != nil {
		return err
	}
	runtime, err := os.ReadFile(filepath.Join(dir, pageRuntime))
	if err != nil {
		return err
	}
	site := &gallery.Site{Module: module, Program: built, Runtime: runtime, Scenes: all, Documents: documents}
	return site.Write(out)
}

// smaller are the flags that make the program of the pages an eighth smaller: the compiler's functions are not compiled into each other, but for those
// that work while people type.
func smaller() []string {
	flags := []string{"-gcflags=github.com/gotaichi/ti/...=-l"}
	for _, p := range []string{"check", "syntax", "typed", "diag"} {
		flags = append(flags, "-gcflags=github.com/gotaichi/ti/internal/"+p+"=")
	}
	return flags
}

// counted is a number of things that have a name.
func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}
