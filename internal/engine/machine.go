package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/loader"
)

var _ launch.Machine = (*Engine)(nil)

// loaded is a kernel's machine code in memory.
type loaded struct {
	engine   *Engine
	k        *launch.Kernel
	code     *loader.Code // nil without tasks, and where code is embedded
	entries  []uintptr    // address of each task
	embedded Embedded     // nil where code is that of the processors
}

// Allocate reserves memory of the process.
func (e *Engine) Allocate(bytes int64) (device.Area, error) { return e.place.Allocate(bytes) }

// Space is the address space of the process, or of the embedder.
func (e *Engine) Space() device.Space { return e.place.Space() }

// Load links the pieces of a kernel's tasks, and those that they call, in memory.
func (e *Engine) Load(k *launch.Kernel, pieces []launch.Piece) (launch.Loaded, error) {
	if len(pieces) < len(k.Tasks) {
		return nil, fmt.Errorf("kernel %s has %d tasks, and code for %d", k.Name, len(k.Tasks), len(pieces))
	}
	l := &loaded{engine: e, k: k}
	if len(k.Tasks) == 0 {
		return l, nil
	}
	if e.embedder != nil {
		var err error
		if l.embedded, err = e.embedder.Load(k, pieces); err != nil {
			return nil, err
		}
		return l, nil
	}
	code, err := read(pieces)
	if err != nil {
		return nil, err
	}
	if l.code, err = loader.Link(code); err != nil {
		return nil, err
	}
	for _, p := range code[:len(k.Tasks)] {
		entry, ok := l.code.Symbol(p.Name)
		if !ok {
			return nil, errors.Join(fmt.Errorf("the code of kernel %s has no function %s", k.Name, p.Name), l.code.Close())
		}
		l.entries = append(l.entries, entry)
	}
	return l, nil
}

// read reads pieces of machine code.
func read(pieces []launch.Piece) ([]*loader.Piece, error) {
	code := make([]*loader.Piece, len(pieces))
	for i, p := range pieces {
		var err error
		if code[i], err = loader.Read(p.Code); err != nil {
			return nil, err
		}
	}
	return code, nil
}

// Bind prepares launches on the data.
func (l *loaded) Bind(d launch.Data) launch.Launcher {
	if l.engine.embedder == nil {
		c := NewCode(l.k, l.entries, d.Bases)
		c.engine, c.Trees, c.Sink, c.seed, c.share = l.engine, d.Trees, d.Sink, d.Seed, d.Share
		return c
	}
	c := &Code{engine: l.engine, place: l.engine.place, Trees: d.Trees, Sink: d.Sink, seed: d.Seed, share: d.Share, lent: make([]room, len(d.Bases))}
	c.prepare(l.k, d.Bases)
	for i := range c.tasks {
		c.tasks[i].code = l.embedded
	}
	if len(l.k.Memory) > 0 {
		c.guests = &guests{args: make([]uint64, len(c.args))}
	}
	return c
}

// Close gives the memory back.
func (l *loaded) Close() error {
	switch {
	case l.embedded != nil:
		return l.embedded.Close()
	case l.code != nil:
		return l.code.Close()
	}
	return nil
}

// Submit launches the kernel, see [Engine.Run], and has ended it when it returns.
func (c *Code) Submit(ctx context.Context, number uint64) (launch.Pending, *launch.Fault, error) {
	if c.place != nil {
		return c.submitEmbedded(ctx, number)
	}
	fault, err := c.engine.Run(ctx, c, number)
	c.without = nil
	return nil, fault, err
}

// submitEmbedded is Submit for code in the place of an embedder.
func (c *Code) submitEmbedded(ctx context.Context, number uint64) (launch.Pending, *launch.Fault, error) {
	defer func() { c.without = nil }()
	if c.failed != nil {
		return nil, nil, c.failed
	}
	if err := c.receive(); err != nil {
		return nil, nil, err
	}
	fault, err := c.engine.Run(ctx, c, number)
	c.release()
	return nil, fault, err
}
