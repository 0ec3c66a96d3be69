package domain

import (
	"fmt"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/site"
)

// A way is how ranks run a task.
type way uint8

const (
	everywhere way = iota // all ranks run all of it
	parted                // each rank runs the rows that write its own
	bound                 // the ranks that own the rows that it writes run it
)

// A plan is how ranks run a task.
type plan struct {
	way     way
	reads   []access
	writes  []access
	near    launch.Reach // of a parted task: bounds the distances of the rows that it writes
	sums    []sum        // components that are not divided, to which it adds
	once    bool         // of a parted task: no iteration may run on two ranks
	fails   bool         // it can fail
	prints  bool
	grid    *Grid // of a parted task
	low     int64 // first index of row 0
	rows    launch.Rows
	partial bool
}

// An access is to rows of a strip.
type access struct {
	strip *strip
	field string
	kind  accessKind
	reach launch.Reach // of rows from that of the iteration, or of rows
}

type accessKind uint8

const (
	near   accessKind = iota // at a bounded distance from the first index of the loop
	onRing                   // at one modulo the number of rows
	at                       // certain rows
)

// A sum is a component that is not divided, to which a task adds.
type sum struct {
	field *layout.Field
	comp  int
	op    launch.Sum
	name  string
}

// A planner plans the tasks of a kernel.
type planner struct {
	w  *World
	k  *launch.Kernel
	at job.Layout
}

// plan plans a task.
func (p *planner) plan(t *launch.Task, name launch.Name) (*plan, error) {
	made := &plan{rows: t.Rows, partial: t.Partial != nil}
	plain := "" // a field that is not divided, and that the task changes otherwise than by sums
	for _, n := range t.Sites {
		switch s := &p.k.Sites[n]; s.Kind {
		case site.Print:
			made.prints = true
		case site.Read, site.Write, site.Update, site.Deactivate:
		default:
			made.fails = true
		}
	}
	for _, s := range t.States {
		f := p.k.Fields[s.Field]
		place := p.at[f.Name]
		if f.Memory || place.Field == nil {
			continue
		}
		for _, v := range s.Values {
			for c := place.First + v.First; c < place.First+v.First+v.Comps; c++ {
				strip, err := p.w.stripOf(place.Field, c)
				switch {
				case err != nil:
					return nil, err
				case strip != nil:
					err = made.touch(strip, f.Name, v, len(t.Dims) > 0)
				case v.Use&launch.Writes == 0:
				case v.Sum == launch.None || !canMerge(place.Field.Access(c)):
					plain = f.Name
				default:
					made.sums = append(made.sums, sum{place.Field, c, v.Sum, f.Name})
				}
				if err != nil {
					return nil, placed(name, err)
				}
			}
		}
		if (s.Mask|s.List|s.Allocation)&launch.Writes != 0 || s.Clears {
			plain = f.Name
		}
	}
	return made, placed(name, p.choose(made, t, plain))
}

// canMerge reports whether what ranks have added to a component can be merged.
func canMerge(a *layout.Access) bool {
	return len(a.Steps) == 0 && a.Packed == nil && (!a.Kind.IsFloat() || a.Kind.Size() >= 4)
}

// placed gives an error the place of a task.
func placed(name launch.Name, err error) error {
	if err == nil || name.Line == 0 {
		return err
	}
	return fmt.Errorf("%s:%d: %w", name.File, name.Line, err)
}

// touch notes an access to a strip.
func (p *plan) touch(s *strip, field string, v launch.Values, loop bool) error {
	a := access{strip: s, field: field}
	switch {
	case v.Ring.Known:
		a.kind, a.reach = onRing, v.Ring
	case v.Index.Known:
		a.kind, a.reach = at, launch.Reach{Lo: v.Index.Lo - s.low, Hi: v.Index.Hi - s.low, Known: true}
	case v.Reach.Known && loop:
		a.kind, a.reach = near, v.Reach
	default:
		return fmt.Errorf("%w: %s is accessed at indices that depend on data or arguments, so that nobody knows which rank has them; index it by the index of a loop and constants, or place it in a tree that is not divided", ErrReach, field)
	}
	if v.Use&launch.Reads != 0 {
		p.reads = append(p.reads, a)
	}
	if v.Use&launch.Writes != 0 {
		p.writes = append(p.writes, a)
	}
	return nil
}

// choose finds out how a task runs.
func (p *planner) choose(made *plan, t *launch.Task, plain string) error {
	if len(made.reads)+len(made.writes) == 0 {
		return nil
	}
	if len(t.Dims) == 0 {
		return made.serial()
	}
	here := false // some access is relative to the row of the iteration
	for _, a := range made.reads {
		here = here || a.kind != at
	}
	fixed := true // what is written are certain rows
	for _, a := range made.writes {
		fixed = fixed && a.kind == at
		here = here || a.kind != at
	}
	switch {
	case len(made.writes) > 0 && fixed:
		made.way = bound
		if plain != "" || len(made.sums) > 0 || made.partial {
			return fmt.Errorf("%w: the loop writes certain rows of %s, which one rank owns, and a variable or field that all ranks have; let two loops do that", ErrReach, made.writes[0].field)
		}
		return nil
	case !here: // it reads certain rows alone: then all ranks have them
		return nil
	}
	made.way = parted
	return p.part(made, t, plain)
}

// serial plans serial code: it may write divided fields, which all ranks do, and read certain rows.
func (p *plan) serial() error {
	for _, a := range p.reads {
		if a.kind != at {
			return fmt.Errorf("%w: code outside of loops reads %s at indices that are not constant; let a loop over its rows do that", ErrReach, a.field)
		}
	}
	return nil
}

// part plans a task of which each rank runs a part.
func (p *planner) part(made *plan, t *launch.Task, plain string) error {
	first := made.first()
	made.grid, made.low = first.strip.of.grid, first.strip.low
	for _, a := range append(made.reads[:len(made.reads):len(made.reads)], made.writes...) {
		if g := a.strip.of.grid; a.kind != at && (g != made.grid && !same(g, made.grid) || a.strip.low != made.low) {
			return fmt.Errorf("%w: the loop uses %s and %s, whose rows are divided in different ways; divide both by one grid, with one Origin", ErrSplit, first.field, a.field)
		}
	}
	for i, a := range made.writes {
		switch {
		case a.kind != near:
			return fmt.Errorf("%w: the loop writes %s at rows that are not near those of its iterations; let each iteration write its own row", ErrReach, a.field)
		case i == 0:
			made.near = a.reach
		default:
			made.near = launch.Reach{Lo: min(made.near.Lo, a.reach.Lo), Hi: max(made.near.Hi, a.reach.Hi)}
		}
	}
	made.once = made.partial || len(made.sums) > 0 || made.prints || made.fails || len(t.Private) > 0
	grown := made.near.Lo != 0 || made.near.Hi != 0
	switch {
	case t.Rows.Step < 1:
		return fmt.Errorf("%w: the loop over rows of %s cannot be cut by its first index; let the outermost loop be the one over rows", ErrReach, first.field)
	case plain != "":
		return fmt.Errorf("%w: the loop is divided with %s and writes %s, which all ranks have, otherwise than by sums whose old values nothing uses; divide that field, too, or write it in another loop", ErrReach, first.field, plain)
	case grown && made.once:
		return fmt.Errorf("%w: the loop writes rows beside its own of %s, so that iterations at a border run on two ranks, and it sums, prints or may fail; let each iteration write its own row, or let two loops do that", ErrReach, made.writes[0].field)
	case len(t.Private) > 0 && p.private(t):
		return fmt.Errorf("%w: the loop adds to %s in an order that threads decide; let each iteration gather what its own element needs", ErrReach, first.field)
	}
	for i := range p.k.Memory {
		if p.k.Memory[i].Writes {
			return fmt.Errorf("%w: the kernel divides a loop over %s, and writes a slice or array of the caller, which each rank has; use a divided field, and CopyTo", ErrReach, first.field)
		}
	}
	if made.once {
		return made.aligned()
	}
	return nil
}

// private reports whether a task has private copies of a divided tree.
func (p *planner) private(t *launch.Task) bool {
	for _, s := range t.States {
		place := p.at[p.k.Fields[s.Field].Name]
		for _, v := range s.Values {
			if v.Sum != launch.None && place.Field != nil && p.w.trees[place.Field.Tree(place.First+v.First).ID()] != nil {
				return true
			}
		}
	}
	return false
}

// aligned reports whether the indices of the task's outermost dimension stand for whole tiles.
func (p *plan) aligned() error {
	step := p.rows.Step
	if g := p.grid; g.Tile%step != 0 || (p.low-p.rows.Low)%step != 0 {
		return fmt.Errorf("%w: the loop runs %d rows at a time from row %d on, and tiles have %d; take tiles of a multiple", ErrSplit, step, p.rows.Low, g.Tile)
	}
	return nil
}

// first is an access to rows near those of the iterations, a write if there is one.
func (p *plan) first() access {
	for _, a := range p.writes {
		if a.kind != at {
			return a
		}
	}
	for _, a := range p.reads {
		if a.kind != at {
			return a
		}
	}
	return access{}
}

func same(a, b *Grid) bool { return a.Rows == b.Rows && a.Tile == b.Tile }
