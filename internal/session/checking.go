package session

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/gotaichi/ti/internal/config"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/outline"
)

// A source is parsed and checked when that is needed. What a session must know of it is its outline, which
// the cache on disk or a file of code that was compiled ahead of time may have: then a program neither
// parses nor checks nor lowers, as long as all it launches is there too.

// placeKey tells a source from others, by its text and by the positions in it.
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

// textKey tells a source from others by its text and its libraries, whatever its files are called.
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

// A checking is a source checked against a host, or an instance of one of its kernels.
type checking struct {
	*outline.Program

	question outline.Question
	tree     func() (*tree, error) // parses and checks if that was not done
	shipped  *shippedKey           // of the outline in a file of code; nil if it is in none

	once sync.Once
	key  outline.Key // see indexKey
}

// A shippedKey is the key of an outline that was made ahead of time, which leaves open what is free.
type shippedKey struct {
	key  outline.Key
	free []string
}

// indexKey tells the outline from others on this machine.
func (c *checking) indexKey() outline.Key {
	c.once.Do(func() { c.key = c.question.Key() })
	return c.key
}

// known makes a checking of a tree.
func known(q outline.Question, t *tree) *checking {
	return &checking{Program: t.outline(), question: q, tree: func() (*tree, error) { return t, nil }}
}

// index is the cache on disk as far as it has outlines, nil for none: what counts blocks, records kernels or
// is the reference takes nothing from it.
func (rt *Runtime) index() *cache.Cache {
	if rt.opt.Arch == config.Oracle || rt.opt.Cover != "" || rt.recording() {
		return nil
	}
	return rt.Disk()
}

// recording reports whether kernels are recorded.
func (rt *Runtime) recording() bool { return rt.recorder != nil }

// declare returns the declarations of the source. Beside errors it returns them too if it can.
func (p *Program) declare() (*outline.Package, SourceErrors) {
	if s := p.rt.shipped; s != nil && !p.rt.recording() {
		if data, ok := s.set.Package(p.textKey); ok {
			if pkg, err := outline.ReadPackage(data); err == nil {
				return pkg, nil
			}
		}
	}
	disk := p.rt.index()
	w := p.rt.opt.Widths()
	key := cache.Key(sha256.Sum256(fmt.Appendf(nil, "declarations 2 %x %d %d", p.placeKey, w.Int, w.Float)))
	if disk != nil {
		if data, ok := disk.Get(key); ok {
			if pkg, err := outline.ReadPackage(data); err == nil {
				return pkg, nil
			}
		}
	}
	pkg, errs := p.declareAnew()
	if disk != nil && len(errs) == 0 {
		p.rt.disk.put(key, pkg.Append(nil))
	}
	return pkg, errs
}

// declareAnew is declare by the source itself.
func (p *Program) declareAnew() (*outline.Package, SourceErrors) {
	source, errs := p.parsed()
	if source == nil {
		return nil, errs
	}
	return p.read()
}

// check checks the source against a host, or finds what came of that.
func (p *Program) check(host *outline.Host, symbolic bool) (*checking, SourceErrors) {
	q := outline.Question{Source: p.placeKey, Host: host, Symbolic: symbolic}
	return p.answer(q, func() (*tree, SourceErrors) { return p.checkAnew(host) })
}

// checkAnew checks the source itself.
func (p *Program) checkAnew(host *outline.Host) (*tree, SourceErrors) {
	source, errs := p.parsed()
	if source == nil {
		return nil, errs
	}
	if _, errs := p.read(); len(errs) > 0 {
		return nil, errs
	}
	return source.check(host)
}

// instantiate checks a kernel of c with compile-time parameters.
func (p *Program) instantiate(c *checking, kernel string, args []outline.TemplateArg) (*checking, SourceErrors) {
	q := c.question
	q.Kernel, q.Args = kernel, args
	return p.answer(q, func() (*tree, SourceErrors) {
		t, err := c.tree()
		if err != nil {
			return nil, diag.List(err, p.pos)
		}
		return t.instantiate(kernel, args)
	})
}

// answer finds the outline of what find would check, or checks it.
func (p *Program) answer(q outline.Question, find func() (*tree, SourceErrors)) (*checking, SourceErrors) {
	c := &checking{question: q}
	c.tree = sync.OnceValues(func() (*tree, error) {
		t, errs := find()
		if len(errs) > 0 {
			return nil, errs
		}
		return t, nil
	})
	if p.shippedOutline(c) {
		return c, nil
	}
	disk := p.rt.index()
	if disk != nil {
		if data, ok := disk.Get(cache.Key(c.indexKey())); ok {
			if o, err := outline.Read(data); err == nil {
				c.Program = o
				return c, nil
			}
		}
	}
	t, errs := find()
	if len(errs) > 0 {
		return nil, errs
	}
	c = known(q, t)
	if disk != nil {
		p.rt.disk.put(cache.Key(c.indexKey()), c.Append(nil))
	}
	return c, nil
}

// instrumented is c with counters in its kernels, if they are to be counted. It needs p.mu.
func (p *Program) instrumented(c *checking) (*checking, error) {
	if p.cover == nil {
		return c, nil
	}
	t, err := c.tree()
	if err != nil {
		return nil, err
	}
	p.cover.instrument(t)
	return known(c.question, t), nil
}

// shippedOutline looks for the outline of c among what was compiled ahead of time.
func (p *Program) shippedOutline(c *checking) bool {
	s := p.rt.shipped
	if s == nil || p.rt.recording() || c.question.Symbolic {
		return false
	}
	q := c.question
	q.Source = outline.Key(p.textKey)
	for _, free := range s.set.Outlines(p.textKey, q.Kernel) {
		q.Free = free
		key := q.Key()
		data, ok := s.set.Outline(ahead.Key(key))
		if !ok {
			continue
		}
		o, err := outline.Read(data)
		if err != nil {
			continue
		}
		o.Resize(func(field string) []int { return c.question.FreeShape(field, free, o) })
		c.Program, c.shipped = o, &shippedKey{key, free}
		return true
	}
	return false
}

// shippable returns the key of c for files of code, and what is free in it: fields whose extents sym, which is c
// with the extents read at launch, does not need. Without sym nothing is free.
func (p *Program) shippable(c, sym *checking) shippedKey {
	q := c.question
	q.Source = outline.Key(p.textKey)
	if sym != nil && bytes.Equal(c.Shapeless().Append(nil), sym.Shapeless().Append(nil)) {
		q.Free = sym.question.Open(sym.Program)
	}
	return shippedKey{q.Key(), q.Free}
}
