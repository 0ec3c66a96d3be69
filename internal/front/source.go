package front

import (
	"crypto/sha256"
	"fmt"
	"go/token"
	"io"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/outline"
)

// An Env has what the sources of a runtime are read and checked with.
type Env struct {
	Opt       *config.Resolved
	Disk      Disk
	Shipped   *Shipped // nil without Config.Code
	Recording bool     // kernels are recorded

	Parses atomic.Int64 // sources whose text was parsed
}

// Index is the cache on disk as far as it has outlines, nil for none: what counts blocks, records kernels or
// is the reference takes nothing from it.
func (s *Env) Index() *cache.Cache {
	if s.Opt.Arch == config.Oracle || s.Opt.Cover != "" || s.Recording {
		return nil
	}
	return s.Cache()
}

// A Source is the text of a program with its libraries.
type Source struct {
	env   *Env
	texts []bind.File
	Pos   token.Position // of the call that loads it

	PlaceKey outline.Key // of the texts, with their places
	TextKey  ahead.Key   // of the texts alone

	Parsed func() (*Parsed, diag.ErrorList)
	Read   func() (*outline.Package, diag.ErrorList) // the declarations in what is parsed
}

// NewSource makes a source, of which nothing is read yet.
func (s *Env) NewSource(texts []bind.File, pos token.Position) *Source {
	p := &Source{env: s, texts: texts, Pos: pos, PlaceKey: placeKey(texts), TextKey: textKey(texts)}
	p.Parsed = sync.OnceValues(func() (*Parsed, diag.ErrorList) {
		s.Parses.Add(1)
		return Parse(texts)
	})
	p.Read = sync.OnceValues(func() (*outline.Package, diag.ErrorList) {
		text, errs := p.Parsed()
		if text == nil {
			return nil, errs
		}
		return text.declare(s.Opt.Widths())
	})
	return p
}

// placeKey identifies a source by its text and by the positions in it.
func placeKey(texts []bind.File) (key outline.Key) {
	h := sha256.New()
	for _, t := range texts {
		if t.Library != "" {
			fmt.Fprintf(h, "library %q\n", t.Library)
		}
		fmt.Fprintf(h, "%q %q %d %d %d %d\n", t.Name, t.Base.Filename, t.Base.Offset, t.Base.Line, t.Base.Column, len(t.Text))
		_, _ = io.WriteString(h, t.Text) // a hash never fails
	}
	h.Sum(key[:0])
	return key
}

// textKey identifies a source by its text and its libraries, whatever its files are called.
func textKey(texts []bind.File) (key ahead.Key) {
	h := sha256.New()
	for _, t := range texts {
		if t.Library != "" {
			fmt.Fprintf(h, "library %q\n", t.Library)
		}
		fmt.Fprintf(h, "%d\n", len(t.Text))
		_, _ = io.WriteString(h, t.Text) // a hash never fails
	}
	h.Sum(key[:0])
	return key
}
