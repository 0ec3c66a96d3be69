package variant

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/threadblock"
)

// compiling is the executor that makes machine code.
type compiling struct {
	rt    *Maker
	arch  config.Arch // what it makes code for
	maker target.Compiler
}

func (c *compiling) compiler() target.Compiler { return c.maker }

func (c *compiling) Device() Device {
	if m, own := c.rt.Machine.(launch.DeviceMachine); own {
		d := m.Device()
		return machineDevice(c.arch, &d)
	}
	d := compiledDevice(c.arch, c.maker)
	d.Threads = c.rt.Opt.Threads
	return d
}

// A compiled is a kernel in machine code.
type compiled struct {
	v     *Variant
	code  launch.Launcher
	entry *codeEntry // the machine code, which other variants may have too
	out   *record.Output

	maker *Maker

	failed error // why ranks cannot run it together
}

func (c *compiling) build(v *Variant) (ready func(freed bool) executable, err error) {
	rt := c.rt
	r, entry, err := c.code(v)
	if errors.Is(err, diag.ErrArch) {
		return nil, err
	}
	if lacking, is := errors.AsType[*launch.Lacking](err); is {
		remedy := "or other types"
		if lacking.Strict {
			remedy = "or leave Config.StrictMath out"
		}
		return nil, &RuntimeError{Kernel: v.Kernel.Name, Pos: PlaceOf(lacking.Place), Err: diag.ErrArch, Count: 1, Msg: lacking.Error() + "; choose another device or architecture, " + remedy}
	}
	if err != nil {
		return nil, fmt.Errorf("ti: %w", err)
	}
	if v.Role.ships() {
		if err := rt.Recorder.record(v, r); err != nil {
			rt.codes.release(entry)
			return nil, err
		}
	}
	return func(freed bool) executable {
		if freed { // the machine may have been closed, and with it the memory of what is bound
			rt.codes.release(entry)
			return nil
		}
		k := entry.compiled.Launch
		x := &compiled{v: v, entry: entry, out: v.newOutput(k.Sites), maker: rt}
		data := launch.Data{Bases: rt.bases(r.areas, k.Bases), Sink: x.out, Seed: rt.Opt.Seed, Block: func(int) threadblock.Block { return v.Kernel.threadBlock() }}
		if g := v.topology(k); g != nil {
			data.Trees, x.out.Topology = g, g
		}
		if rt.Ranks != nil {
			data.Share, data.Sink, x.failed = rt.Ranks.Bind(k, v.Scope.Layout, x.out)
		}
		x.code = entry.loaded.Bind(data)
		v.setExtents(x.code.Args(), k.Fields)
		return x
	}, nil
}

// code finds or makes the code of a variant.
func (c *compiling) code(v *Variant) (r *ready, entry *codeEntry, err error) {
	err = v.sparing(func() error {
		if r, err = v.prepare(); err == nil {
			entry, err = c.rt.codeOf(r)
		}
		return err
	})
	return r, entry, err
}

// bases finds the memory behind the entries of a base table, which are numbers of
// areas.
func (m *Maker) bases(areas []job.Area, entries []int) []launch.Base {
	bases := make([]launch.Base, len(entries))
	for i, n := range entries {
		if n < 0 {
			continue
		}
		a := areas[n]
		if area, start := m.Store.Memory(a.Tree); area != nil {
			bases[i] = launch.Base{Area: area, Offset: start + a.Offset, Bytes: a.Bytes}
		}
	}
	return bases
}

func (c *compiled) slots() (args, results []uint64) { return c.code.Args(), c.code.Results() }

func (c *compiled) tasks() int { return tasksOf(c.entry.compiled.Launch) }

func (c *compiled) launcher() launch.Launcher { return c.code }

func (c *compiled) descriptor() *launch.Kernel { return c.entry.compiled.Launch }

func (c *compiled) prints() bool { return c.entry.compiled.Launch.Prints }

func (c *compiled) free() {
	c.code.Free()
	c.v.Kernel.Program.Maker.codes.release(c.entry)
}

func (c *compiled) Run(ctx context.Context) error {
	m, p := c.maker, c.v.Kernel.Program
	number := m.Numbers.Next(p)
	err := c.RunAs(ctx, number)
	if err != nil && m.Machine.Last() != number {
		m.Numbers.giveBack(p)
	}
	return err
}

func (c *compiled) RunAs(ctx context.Context, number uint64) error {
	if c.failed != nil {
		return fmt.Errorf("%s: %w", c.v.Kernel.Name, c.failed)
	}
	races := c.out.Races
	if races != nil {
		races.Begin(c.maker.RecordRoom())
		defer races.End()
	}
	fault, err := launch.Run(ctx, c.code, number)
	if errors.Is(err, launch.ErrSums) {
		return c.v.runFallback(ctx, number)
	}
	if err != nil {
		return c.v.ended(ctx, err)
	}
	if fault != nil {
		return failureOf(c.v.Kernel.Name, c.entry.compiled.Launch.Sites, c.v.Frame.Args, fault)
	}
	return c.v.raceFailure(races)
}

// ended returns the error of a launch that the machine ended early with err. It is apart
// from RunAs, so that launches without an error do not pay for its size.
func (v *Variant) ended(ctx context.Context, err error) error {
	if tooMany, is := errors.AsType[*launch.TooManyIterations](err); is {
		return v.tooMany(tooMany, PlaceOf(tooMany.Place))
	}
	if block, is := errors.AsType[*launch.BlockError](err); is {
		return v.badBlock(block)
	}
	switch {
	case errors.Is(err, launch.ErrStopped):
		return v.endedByClose()
	case errors.Is(err, launch.ErrFull):
		return diag.Errorf(diag.ErrMemory, "%s records more than there is room for until the loop has ended (%w), of accesses in debug mode or of cells to be deactivated; let it do less in one iteration", v.Kernel.Name, err)
	case errors.Is(err, sparse.ErrMemory):
		return diag.Errorf(diag.ErrMemory, "%s ended early: %w; what it activated before is there; trees have %d bytes, and %s", v.Kernel.Name, err, v.Kernel.Program.Maker.Budget.Used(), v.Kernel.Program.Maker.Store.Room())
	case errors.Is(err, launch.ErrCopies):
		return diag.Errorf(diag.ErrMemory, "%s ended early: %w; trees and such copies have %d bytes, and %s; let the loop add to a smaller tree, or leave Deterministic off", v.Kernel.Name, err, v.Kernel.Program.Maker.Budget.Used(), v.Kernel.Program.Maker.Store.Room())
	case errors.Is(err, launch.ErrMemory):
		return diag.Errorf(diag.ErrMemory, "%s ended early: %w; trees have %d bytes, and %s; close trees that are not needed, or make them smaller", v.Kernel.Name, err, v.Kernel.Program.Maker.Budget.Used(), v.Kernel.Program.Maker.Store.Room())
	case errors.Is(err, diag.ErrDevice):
		return diag.Errorf(diag.ErrDevice, "%s ended early: %w; close the runtime, and make another one", v.Kernel.Name, err)
	case ctx.Err() == nil:
		return err
	}
	return fmt.Errorf("ti: launch of %s ended early: %w", v.Kernel.Name, err)
}

// failureOf turns a fault of a kernel into an error.
func failureOf(kernel string, sites []launch.Site, args []uint64, f *launch.Fault) error {
	e := &RuntimeError{Kernel: kernel, Err: diag.ErrRange, Count: int(f.Count)}
	if f.Site < 0 || f.Site >= len(sites) {
		e.Msg = "an index is out of range"
		return e
	}
	s := &sites[f.Site]
	e.Pos = PlaceOf(s.Place)
	for _, i := range f.Loop {
		e.Loop = append(e.Loop, int(i))
	}
	if s.Kind != site.Index {
		values := make([]uint64, s.Values())
		for i := range values {
			values[i] = uint64(f.Index[i])
		}
		e.explain(&s.Site, values)
		return e
	}
	limits := s.Limits(args)
	index, low := f.Index[:len(s.Shape)], s.Low
	// A component chosen at run time comes behind the index of its element, and is
	// told only where that index is in range.
	if n := s.Axes; n < len(limits) && outside(index[:n], limits[:n], low) {
		index, limits, low = index[:n], limits[:n], low[:min(n, len(low))]
	}
	e.describe(s.What, index, limits, low)
	return e
}

// Compiles reports whether kernels are compiled here: not where they are interpreted, or come compiled.
func (m *Maker) Compiles() bool {
	_, compiled := m.Exec.(*compiling)
	return compiled && m.Shipped == nil
}
