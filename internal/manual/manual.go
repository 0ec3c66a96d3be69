package manual

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/document"
)

// A Page is a document that becomes one.
type Page struct {
	From  string // the document, relative to the module
	To    string // the page, relative to the site
	Title string
	text  string
}

// The places of documents.
const (
	docs    = "docs"
	lessons = "docs/tour"
	readme  = "README.md" // of a folder, whose page is its index
	ending  = ".md"
)

// Pages lists the documents of a module, which may lack them, in the order of a table of contents: the tour and its lessons, then the others by name.
func Pages(module string) (all []*Page, err error) {
	for _, pattern := range []string{lessons + "/" + readme, lessons + "/*/" + readme, docs + "/*" + ending} {
		files, err := filepath.Glob(filepath.Join(module, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p, err := read(module, file)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

func read(module, file string) (*Page, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(module, file)
	if err != nil {
		return nil, err
	}
	p := &Page{From: filepath.ToSlash(rel), text: string(data)}
	p.To = strings.TrimSuffix(p.From, ending) + ".html"
	if path.Base(p.From) == readme {
		p.To = path.Dir(p.From) + "/index.html"
	}
	heading, _, _ := strings.Cut(strings.TrimPrefix(p.text, "# "), "\n")
	p.Title = strings.ReplaceAll(heading, "`", "")
	return p, nil
}

// content is what the template of pages gets.
type content struct {
	Title string
	Root  string // leads from the page to the site
	Body  template.HTML
	Link  string       // of a lesson's program
	Play  template.URL // the address of the playground with it
	Pages []entry
}

// An entry of the table of contents.
type entry struct {
	Title, Href string
	Here        bool
}

// Programs are those of the playground.
type Programs interface {
	// Scene reads the program of a scene's file.
	Scene(file string) (Example, error)
	// Link makes the part of an address that has a program.
	Link(Example) (string, error)
}

// Write makes pages of all documents. The template gets what a page consists of.
func Write(module string, page *template.Template, programs Programs) (files map[string][]byte, err error) {
	all, err := Pages(module)
	if err != nil {
		return nil, err
	}
	files = map[string][]byte{}
	for _, p := range all {
		r := &renderer{module: module, page: p, pages: all, programs: programs, pictures: map[string]bool{}}
		body, err := r.html()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.From, err)
		}
		c := content{Title: p.Title, Root: relative(p.To, ""), Body: template.HTML(body), Pages: contents(all, p)}
		if err := r.lesson(&c); err != nil {
			return nil, fmt.Errorf("%s: %w", p.From, err)
		}
		var b bytes.Buffer
		if err := page.Execute(&b, c); err != nil {
			return nil, err
		}
		files[p.To] = b.Bytes()
		for _, name := range slices.Sorted(maps.Keys(r.pictures)) {
			if files[name], err = os.ReadFile(filepath.Join(module, filepath.FromSlash(name))); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// contents is the table of contents as it stands on a page.
func contents(all []*Page, here *Page) (list []entry) {
	for _, p := range all {
		list = append(list, entry{p.Title, relative(here.To, p.To), p == here})
	}
	return list
}

// relative leads from a page to another file of the site, or to the site itself, with a slash.
func relative(from, to string) string {
	up := strings.Repeat("../", strings.Count(from, "/"))
	if dir := path.Dir(from) + "/"; to != "" && strings.HasPrefix(to, dir) {
		return to[len(dir):]
	}
	return up + to
}

// lesson adds the program of a lesson, which is the scene beside it.
func (r *renderer) lesson(c *content) error {
	dir := path.Dir(r.page.From)
	if path.Dir(dir) != lessons {
		return nil
	}
	scenes, err := filepath.Glob(filepath.Join(r.module, filepath.FromSlash(dir), "*.scene"))
	if err != nil || len(scenes) == 0 {
		return err
	}
	e, err := r.programs.Scene(scenes[0])
	if err != nil {
		return err
	}
	c.Link, err = r.programs.Link(e)
	c.Play = template.URL(c.Root + "play.html#" + c.Link)
	return err
}

// examples are the programs of a page, by the lines of their blocks.
func examples(p *Page) (map[int]Example, error) {
	if strings.HasPrefix(p.From, lessons+"/") { // the code there is that of the lesson
		return nil, nil
	}
	blocks, err := document.Parse(p.From, p.text)
	if err != nil {
		return nil, err
	}
	found := map[int]Example{}
	for _, b := range blocks {
		if k, err := b.Kind(); k != document.Kernel || err != nil {
			continue
		}
		e, ok, err := exampleOf(b)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", b, err)
		}
		if ok {
			found[b.Line] = e
		}
	}
	return found, nil
}
