package gallery

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is this one, whose pages and examples are read.
const module = "../.."

// TestWrite writes the scenes of the examples, with a text in place of the program, and writes them once more.
func TestWrite(t *testing.T) {
	all, err := Examples(module)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "site")
	for range 2 {
		if err := (&Site{Module: module, Program: []byte("the program"), Runtime: []byte("the script"), Scenes: all, Documents: true}).Write(out); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Error(err)
		}
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(read(program)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "the program" {
		t.Errorf("the program is %q, %v", text, err)
	}
	var listed []Scene
	if err := json.Unmarshal(read(list), &listed); err != nil || len(listed) != len(all) {
		t.Errorf("%d scenes are listed, not %d: %v", len(listed), len(all), err)
	}
	page := string(read(index))
	for _, s := range all {
		if !strings.Contains(page, `href="play.html#scene=`+s.Name+`"`) {
			t.Errorf("the gallery lacks %s", s.Name)
		}
		if got := string(read("scenes/" + s.Name + ".scene")); got != s.Lines {
			t.Errorf("%s has other lines: %s", s.Name, got)
		}
		read("scenes/" + s.Name + ".ti")
	}
	for _, name := range []string{"play.html", "play.js", "worker.js", "editor.js", "window.js", "shapes.js", "window.css", "wasm_exec.js", "run.js", "docs/language.html", "docs/tour/index.html", "docs/tour/02-fields/index.html", "docs/tour/02-fields/mandelbrot.png"} {
		read(name)
	}
	for _, name := range []string{"index.html", "play.html", "play.js", "share.js", "worker.js", "site.css"} {
		if text := string(read(name)); strings.Contains(text, "http:") || strings.Contains(text, "https:") || strings.Contains(text, `="/`) {
			t.Errorf("%s names something elsewhere", name)
		}
	}
}

// TestWrong has scenes and folders that cannot be.
func TestWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("a.ti", "package a\n")
	write("none.ti", "package a\n\nimport \"example.com/none\"\n")
	for _, c := range []struct{ text, want string }{
		{"paint X\n", `line 1: there is no word "paint"`},
		{"source a.ti\nsource a.ti\nshow X\n", "two sources have the name a.ti; rename one of them"},
		{"source none.ti\nshow X\n", `imports "example.com/none": there is no go.mod around the source`},
		{"source nosuch.ti\nshow X\n", "nosuch.ti"},
	} {
		if _, err := Read(write("a.scene", c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	s := Scene{Name: "a", Title: "A", Source: "package a\n", Lines: "show X\n"}
	for want, c := range map[string]struct {
		out string
		all []Scene
	}{
		"has other things":           {dir, []Scene{s}},
		"two scenes have the name a": {filepath.Join(dir, "new"), []Scene{s, s}},
		"there is no scene":          {filepath.Join(dir, "none"), nil},
	} {
		if err := (&Site{Module: module, Scenes: c.all}).Write(c.out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if got := NameOf("/x/Größe 2.scene"); got != "Gr--e-2" {
		t.Errorf("the name is %q", got)
	}
}

// TestSources reads a scene of two sources, of which one imports a library.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n", "rng/rng.ti": "package rng\n", "a.ti": "package a\n", "b.ti": "package a\n\nimport \"example.com/m/rng\"\n",
		"a.scene": "source a.ti\nsource b.ti\nshow X\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Read(filepath.Join(dir, "a.scene"))
	if want := "-- a.ti --\npackage a\n-- b.ti --\npackage a\n\nimport \"example.com/m/rng\"\n-- example.com/m/rng/rng.ti --\npackage rng\n"; err != nil || s.Source != want {
		t.Errorf("the source is %q, %v, want %q", s.Source, err, want)
	}
}

// TestHandler looks at the headers of what is served.
func TestHandler(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "play.html"), []byte("page"), 0o666); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	Handler(dir).ServeHTTP(w, httptest.NewRequest("GET", "/play.html", nil))
	if h := w.Result().Header; w.Body.String() != "page" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" || h.Get("Cross-Origin-Embedder-Policy") != "require-corp" {
		t.Errorf("%q with %v", w.Body, h)
	}
}
