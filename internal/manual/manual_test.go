package manual

import (
	"html/template"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	anchor = regexp.MustCompile(`href="([^"]*)"`)
	shown  = regexp.MustCompile(`<img src="([^"]*)"`)
	name   = regexp.MustCompile(` id="([^"]*)"`)
)

// lines make a link of the lines of a scene.
type lines struct{}

func (lines) Scene(file string) (Example, error) {
	data, err := os.ReadFile(file)
	return Example{Scene: string(data)}, err
}

func (lines) Link(e Example) (string, error) {
	return "p=" + strings.ReplaceAll(e.Scene, "\n", "_"), nil
}

// write makes the pages of this module.
func write(t *testing.T) map[string][]byte {
	text, err := os.ReadFile("../../playground/static/document.html")
	if err != nil {
		t.Fatal(err)
	}
	page, err := template.New("document").Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	files, err := Write("../..", page, lines{})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestLinks follows the links of all pages: to pages, headings and pictures.
func TestLinks(t *testing.T) {
	files := write(t)
	names := map[string]bool{}
	for file, text := range files {
		names[file] = true
		if strings.HasSuffix(file, ".html") {
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				names[file+"#"+m[1]] = true
			}
		}
	}
	links := 0
	for file, text := range files {
		if !strings.HasSuffix(file, ".html") {
			continue
		}
		for _, m := range append(anchor.FindAllStringSubmatch(string(text), -1), shown.FindAllStringSubmatch(string(text), -1)...) {
			to := m[1]
			if strings.Contains(to, ":") {
				continue
			}
			if strings.HasPrefix(to, "#") {
				to = path.Base(file) + to
			}
			to = path.Join(path.Dir(file), to)
			if site := strings.HasPrefix(to, "index.html") || strings.HasPrefix(to, "play.html#p=") || to == "site.css"; !site && !names[to] {
				t.Errorf("%s leads to %s, which is not there", file, to)
			}
			links++
		}
	}
	if links < 1000 {
		t.Errorf("there are %d links", links)
	}
}

// TestPages looks at what pages have.
func TestPages(t *testing.T) {
	files := write(t)
	for file, want := range map[string][]string{
		"docs/language.html":             {`<h1 id="`, `<table>`, `<p class="run"><button data-program="p=`, `<a href="errors.html#`, `aria-current="page">`},
		"docs/tour/index.html":           {`<a href="01-first/index.html">A first kernel</a>`, `<a href="../../docs/language.html">docs/language.md</a>`},
		"docs/tour/01-first/index.html":  {`data-program="p=title  A first kernel_bind   X=16_`, `<link rel="stylesheet" href="../../../site.css">`},
		"docs/tour/02-fields/index.html": {`<img src="mandelbrot.png" alt="The Mandelbrot set">`},
	} {
		for _, w := range want {
			if !strings.Contains(string(files[file]), w) {
				t.Errorf("%s lacks %s", file, w)
			}
		}
		if strings.Contains(string(files[file]), "<!-- bind") {
			t.Errorf("%s shows what is for tests", file)
		}
	}
}
