package front

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/outline"
)

// A Checking is a source checked against a host, or an instance of one of its kernels.
type Checking struct {
	*outline.Program

	Question outline.Question
	Tree     func() (*Tree, error) // parses and checks if that was not done
	Shipped  *shippedKey           // of the outline in a file of code; nil if it is in none

	once sync.Once
	key  outline.Key // see indexKey
}

// A shippedKey is the key of an outline that was made ahead of time, which leaves open what is free.
type shippedKey struct {
	Key  outline.Key
	Free []string
}

// IndexKey identifies the outline on this machine.
func (c *Checking) IndexKey() outline.Key {
	c.once.Do(func() { c.key = c.Question.Key() })
	return c.key
}

// Known makes a checking of a tree.
func Known(q outline.Question, t *Tree) *Checking {
	return &Checking{Program: t.outline(), Question: q, Tree: func() (*Tree, error) { return t, nil }}
}

// Declare returns the declarations of the source. Beside errors it returns them too if it can.
func (p *Source) Declare() (*outline.Package, diag.ErrorList) {
	if s := p.env.Shipped; s != nil && !p.env.Recording {
		if data, ok := s.Set.Package(p.TextKey); ok {
			if pkg, err := outline.ReadPackage(data); err == nil {
				return pkg, nil
			}
		}
	}
	disk := p.env.Index()
	w := p.env.Opt.Widths()
	key := cache.Key(sha256.Sum256(fmt.Appendf(nil, "declarations 2 %x %d %d", p.PlaceKey, w.Int, w.Float)))
	if disk != nil {
		if data, ok := disk.Get(key); ok {
			if pkg, err := outline.ReadPackage(data); err == nil {
				return pkg, nil
			}
		}
	}
	pkg, errs := p.declareAnew()
	if disk != nil && len(errs) == 0 {
		p.env.Disk.Put(key, pkg.Append(nil))
	}
	return pkg, errs
}

// declareAnew is declare by the source itself.
func (p *Source) declareAnew() (*outline.Package, diag.ErrorList) {
	source, errs := p.Parsed()
	if source == nil {
		return nil, errs
	}
	return p.Read()
}

// Check checks the source against a host, or finds what came of that.
func (p *Source) Check(host *outline.Host, symbolic bool) (*Checking, diag.ErrorList) {
	q := outline.Question{Source: p.PlaceKey, Host: host, Symbolic: symbolic}
	return p.answer(q, func() (*Tree, diag.ErrorList) { return p.checkAnew(host) })
}

// checkAnew checks the source itself.
func (p *Source) checkAnew(host *outline.Host) (*Tree, diag.ErrorList) {
	source, errs := p.Parsed()
	if source == nil {
		return nil, errs
	}
	if _, errs := p.Read(); len(errs) > 0 {
		return nil, errs
	}
	return source.Check(host)
}

// Instantiate checks a kernel of c with compile-time parameters.
func (p *Source) Instantiate(c *Checking, kernel string, args []outline.TemplateArg) (*Checking, diag.ErrorList) {
	q := c.Question
	q.Kernel, q.Args = kernel, args
	return p.answer(q, func() (*Tree, diag.ErrorList) {
		t, err := c.Tree()
		if err != nil {
			return nil, diag.List(err, p.Pos)
		}
		return t.instantiate(kernel, args)
	})
}

// answer finds the outline of what find would check, or checks it.
func (p *Source) answer(q outline.Question, find func() (*Tree, diag.ErrorList)) (*Checking, diag.ErrorList) {
	c := &Checking{Question: q}
	c.Tree = sync.OnceValues(func() (*Tree, error) {
		t, errs := find()
		if len(errs) > 0 {
			return nil, errs
		}
		return t, nil
	})
	if p.shippedOutline(c) {
		return c, nil
	}
	disk := p.env.Index()
	if disk != nil {
		if data, ok := disk.Get(cache.Key(c.IndexKey())); ok {
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
	c = Known(q, t)
	if disk != nil {
		p.env.Disk.Put(cache.Key(c.IndexKey()), c.Append(nil))
	}
	return c, nil
}

// shippedOutline looks for the outline of c among what was compiled ahead of time.
func (p *Source) shippedOutline(c *Checking) bool {
	s := p.env.Shipped
	if s == nil || p.env.Recording || c.Question.Symbolic {
		return false
	}
	q := c.Question
	q.Source = outline.Key(p.TextKey)
	for _, free := range s.Set.Outlines(p.TextKey, q.Kernel) {
		q.Free = free
		key := q.Key()
		data, ok := s.Set.Outline(ahead.Key(key))
		if !ok {
			continue
		}
		o, err := outline.Read(data)
		if err != nil {
			continue
		}
		o.Resize(func(field string) []int { return c.Question.FreeShape(field, free, o) })
		c.Program, c.Shipped = o, &shippedKey{key, free}
		return true
	}
	return false
}

// Shippable returns the key of c for files of code, and what is free in it: fields whose extents sym, which is c
// with the extents read at launch, does not need. Without sym nothing is free.
func (p *Source) Shippable(c, sym *Checking) shippedKey {
	q := c.Question
	q.Source = outline.Key(p.TextKey)
	if sym != nil && bytes.Equal(c.Shapeless().Append(nil), sym.Shapeless().Append(nil)) {
		q.Free = sym.Question.Open(sym.Program)
	}
	return shippedKey{q.Key(), q.Free}
}
