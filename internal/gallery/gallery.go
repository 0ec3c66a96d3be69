package gallery

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/manual"
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

// A Scene is one that pages show.
type Scene struct {
	Name    string `json:"name"` // letters, digits, - and _
	Title   string `json:"title"`
	Source  string `json:"-"` // texts
	Lines   string `json:"-"`
	Picture string `json:"-"` // a file for the gallery; "" for none
}

// The files of a site.
const (
	index     = "index.html"
	program   = "playground.bin"
	goRuntime = "wasm_exec.js"
	list      = "scenes.json"
	scenes    = "scenes"
	window    = "gui/page" // the scripts and the look of windows
	static    = "playground/static"

	documentPage = "document.html" // the template of the documents' pages
)

// Examples reads the scenes of a module's examples.
func Examples(module string) (all []Scene, err error) {
	files, err := filepath.Glob(filepath.Join(module, "examples", "*", "*.scene"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		s, err := Read(file)
		if err != nil {
			return nil, err
		}
		for _, ending := range []string{".gif", ".png", ".jpg"} {
			if picture := strings.TrimSuffix(file, ".scene") + ending; isFile(picture) {
				s.Picture = picture
				break
			}
		}
		all = append(all, s)
	}
	return all, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// Read reads a scene, with its sources beside it and the libraries that these import.
func Read(file string) (s Scene, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	parsed, err := scene.Parse(string(text))
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	source, err := Source(parsed.Files(file)...)
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	s = Scene{Name: NameOf(file), Title: parsed.Title, Source: source, Lines: string(text)}
	if s.Title == "" {
		s.Title = s.Name
	}
	return s, nil
}

// Source is the text of a source as pages have it: all of its files, and those of the libraries that they import.
func Source(names ...string) (string, error) {
	files, err := (&script.Libraries{}).Open(names)
	if err != nil {
		return "", err
	}
	have := map[string]bool{}
	for _, f := range files.Sources {
		if have[f.Name] {
			return "", fmt.Errorf("two sources have the name %s; rename one of them", f.Name)
		}
		have[f.Name] = true
	}
	return files.Join(), nil
}

// NameOf makes a name for addresses of that of a file.
func NameOf(file string) string {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base)
}

// A Site is what is written.
type Site struct {
	Module    string // the folder of this module, which has the pages
	Program   []byte // the program of the pages, as it was built
	Runtime   []byte // Go's own script for programs in pages
	Scenes    []Scene
	Documents bool // the documents of the module are pages, too, unless it was copied without them, as vendored modules are
}

// Write writes a site into a folder.
func (site *Site) Write(out string) error {
	if err := Free(out); err != nil {
		return err
	}
	compressed, err := compress(site.Program)
	if err != nil {
		return err
	}
	files := map[string][]byte{goRuntime: site.Runtime, program: compressed}
	for _, dir := range []string{window, static} { // each has an index.html; that of the gallery stays
		pages, err := os.ReadDir(filepath.Join(site.Module, dir))
		if err != nil {
			return fmt.Errorf("the module has no pages: %w", err)
		}
		for _, p := range pages {
			if files[p.Name()], err = os.ReadFile(filepath.Join(site.Module, dir, p.Name())); err != nil {
				return err
			}
		}
	}
	has, err := site.addDocuments(files)
	if err != nil {
		return err
	}
	if err := site.addScenes(files, has); err != nil {
		return err
	}
	return writeAll(out, files)
}

// addDocuments adds the documents, with their examples as links to the playground, and reports whether there are any.
func (site *Site) addDocuments(files map[string][]byte) (has bool, err error) {
	page, err := template.New(documentPage).Parse(string(files[documentPage]))
	delete(files, documentPage)
	if err != nil || !site.Documents {
		return false, err
	}
	pages, err := manual.Write(site.Module, page, programs{})
	maps.Copy(files, pages)
	return len(pages) > 0, err
}

// Free reports a folder that has other things.
func Free(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if !isFile(filepath.Join(out, list)) {
		return fmt.Errorf("the folder %s has other things; name one that is new, or that has a gallery", out)
	}
	return nil
}

func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// programs are what documents run. They implement [manual.Programs].
type programs struct{}

func (programs) Scene(file string) (manual.Example, error) {
	s, err := Read(file)
	return manual.Example{Source: s.Source, Scene: s.Lines}, err
}

func (programs) Link(e manual.Example) (string, error) { return Link(e.Source, e.Scene) }

// addScenes adds the scenes and the page that lists them, and leads to the documents if there are any.
func (site *Site) addScenes(files map[string][]byte, documents bool) error {
	if len(site.Scenes) == 0 {
		return errors.New("there is no scene; a file ending in .scene, or in .ti, makes one")
	}
	names := map[string]bool{}
	cards := slices.Clone(site.Scenes)
	for i, s := range site.Scenes {
		if names[s.Name] {
			return fmt.Errorf("two scenes have the name %s; rename one of their files", s.Name)
		}
		names[s.Name] = true
		files[scenes+"/"+s.Name+".ti"] = []byte(s.Source)
		files[scenes+"/"+s.Name+".scene"] = []byte(s.Lines)
		if s.Picture == "" {
			continue
		}
		picture, err := os.ReadFile(s.Picture)
		if err != nil {
			return err
		}
		cards[i].Picture = s.Name + filepath.Ext(s.Picture)
		files[scenes+"/"+cards[i].Picture] = picture
	}
	page, err := template.New(index).Parse(string(files[index]))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, struct {
		Scenes    []Scene
		Documents bool
	}{cards, documents}); err != nil {
		return err
	}
	files[index] = b.Bytes()
	files[list], err = json.Marshal(site.Scenes)
	return err
}

// writeAll writes files in the order of their names.
func writeAll(out string, files map[string][]byte) error {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(at, files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}
