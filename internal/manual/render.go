package manual

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markdown "github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A renderer makes HTML of a document.
type renderer struct {
	module   string
	page     *Page
	pages    []*Page
	programs Programs
	examples map[int]Example // by the lines of their blocks
	pictures map[string]bool // that the page shows, relative to the module
}

// html is the document without the frame of the page.
func (r *renderer) html() (string, error) {
	var err error
	if r.examples, err = examples(r.page); err != nil {
		return "", err
	}
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(r, 100))),
		goldmark.WithRendererOptions(markdown.WithNodeRenderers(util.Prioritized(r, 100))),
	)
	var b bytes.Buffer
	err = md.Convert([]byte(r.page.text), &b)
	return b.String(), err
}

// Transform gives headings the names that links use, and leads links to pages. It implements [parser.ASTTransformer].
func (r *renderer) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	names := map[string]int{}
	var links []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			name := nameOf(plain(n, reader.Source()))
			if k := names[name]; k > 0 {
				name += fmt.Sprint("-", k)
			}
			names[name]++
			n.SetAttributeString("id", []byte(name))
		case *ast.Link:
			links = append(links, n)
		case *ast.Image:
			picture := path.Join(path.Dir(r.page.From), string(n.Destination))
			r.pictures[picture] = true
			n.Destination = []byte(relative(r.page.To, picture))
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		r.lead(l)
	}
}

// lead leads a link to a page; the text alone is left of one to another file of the module.
func (r *renderer) lead(l *ast.Link) {
	to, err := url.Parse(string(l.Destination))
	if err == nil && (to.Scheme != "" || to.Path == "") {
		return
	}
	file := path.Join(path.Dir(r.page.From), to.Path)
	i := slices.IndexFunc(r.pages, func(p *Page) bool { return p.From == file || path.Dir(p.From) == file && path.Base(p.From) == readme })
	if i >= 0 {
		l.Destination = []byte(relative(r.page.To, r.pages[i].To))
		if to.Fragment != "" {
			l.Destination = append(l.Destination, "#"+to.Fragment...)
		}
		return
	}
	parent := l.Parent()
	for c := l.FirstChild(); c != nil; c = l.FirstChild() {
		parent.InsertBefore(parent, l, c)
	}
	parent.RemoveChild(parent, l)
}

// plain is the text of a heading.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// nameOf is the name of a heading in links: letters and digits in lower case, with - for spaces, as forges of source code have it.
func nameOf(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c == '_' || c > 127 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			return c
		}
		return -1
	}, strings.ToLower(heading))
}

// RegisterFuncs implements [markdown.NodeRenderer].
func (r *renderer) RegisterFuncs(to markdown.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, r.code)
	to.Register(ast.KindHTMLBlock, comment)
	to.Register(ast.KindRawHTML, comment)
}

// comment leaves out what is for tests; documents have no other HTML.
func comment(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

// code writes a block, with a button that runs it.
func (r *renderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	lines := n.Lines()
	fmt.Fprint(w, "<pre tabindex=\"0\"><code>")
	for i := range lines.Len() {
		s := lines.At(i)
		template.HTMLEscape(w, s.Value(source))
	}
	fmt.Fprintln(w, "</code></pre>")
	if lines.Len() == 0 {
		return ast.WalkContinue, nil
	}
	line := 1 + bytes.Count(source[:lines.At(0).Start], []byte("\n"))
	e, ok := r.examples[line]
	if !ok {
		return ast.WalkContinue, nil
	}
	link, err := r.programs.Link(e)
	if err != nil {
		return ast.WalkStop, err
	}
	root := relative(r.page.To, "")
	fmt.Fprintf(w, "<p class=\"run\"><button data-program=\"%s\">Run</button> <a href=\"%splay.html#%s\">Change it</a></p>\n", link, root, link)
	return ast.WalkContinue, nil
}
