package batch

import (
	"slices"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
)

// A touch is what a loop does to a component of a field.
type touch struct {
	field *layout.Field
	comp  int
	use   launch.Use
	reach launch.Reach
}

// A loop is a task that can be run row by row.
type loop struct {
	task    int
	rows    launch.Rows
	touches []touch
}

// loopsOf returns the tasks of a kernel whose fields lie as at says. It is not ok if one of them cannot be run row by row, between rows of other
// launches: then the kernel does something that depends on where pieces end, that other launches could tell from its turn, or that states do not
// say precisely enough.
func loopsOf(k *launch.Kernel, at job.Layout) (loops []loop, ok bool) {
	if k == nil || k.Records || k.Prints || k.Results > 0 || returnsEarly(k) || len(k.Sums) > 0 {
		return nil, false
	}
	for i := range k.Tasks {
		t := &k.Tasks[i]
		touches, ok := touchesOf(k, t, at)
		if !ok || !inRows(t) {
			return nil, false
		}
		loops = append(loops, loop{i, t.Rows, touches})
	}
	return loops, len(loops) > 0
}

// inRows reports whether a task is a loop over a range that the arguments decide, by rows of the source's loop, which cannot fail and leaves
// nothing but what is in fields. What chunks accumulate would depend on the pieces.
func inRows(t *launch.Task) bool {
	if t.Helper || t.Rows.Step < 1 || len(t.Dims) == 0 || len(t.Lists) > 0 || len(t.Private) > 0 || t.Partial != nil || len(t.Sites) > 0 {
		return false
	}
	fixed := func(b *launch.Bound) bool { return b.From == launch.Const || b.From == launch.Arg }
	for i := range t.Dims {
		if d := &t.Dims[i]; d.Unsigned || !fixed(&d.Lo) || !fixed(&d.Hi) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Slots, func(s launch.Slot) bool { return s.From == launch.FrameSlot })
}

// touchesOf returns what a task does to components. It is not ok if it uses sparse trees, if it writes far from its iterations, as sums do, or if it
// uses packed numbers: loops over these may be loops over words, whose rows are not those of the source.
func touchesOf(k *launch.Kernel, t *launch.Task, at job.Layout) (all []touch, ok bool) {
	for _, s := range t.States {
		place := at[k.Fields[s.Field].Name]
		if k.Fields[s.Field].Memory || s.Mask|s.List|s.Allocation != 0 || s.Clears || place.Field == nil || place.Field.CellsOf() != nil {
			return nil, false
		}
		for _, v := range s.Values {
			if v.Use&launch.Writes != 0 && !v.Reach.Known {
				return nil, false
			}
			for c := place.First + v.First; c < place.First+v.First+v.Comps; c++ {
				if a := place.Field.Access(c); a.Packed != nil || len(a.Steps) > 0 {
					return nil, false
				}
				all = append(all, touch{place.Field, c, v.Use, v.Reach})
			}
		}
	}
	return all, true
}

// ahead returns by how many rows a loop must be ahead of a later one, which may be less than none: all rows of it that touch what
// row i of the later one touches are below i+ahead+1. needed is false if neither changes what the other uses. It is not ok if that is not known.
func ahead(before, after *loop) (rows int64, needed, ok bool) {
	for _, a := range before.touches {
		for _, b := range after.touches {
			if a.field != b.field || a.comp != b.comp || (a.use|b.use)&launch.Writes == 0 {
				continue
			}
			if !a.reach.Known || !b.reach.Known {
				return 0, true, false
			}
			if d := b.reach.Hi - a.reach.Lo; !needed || d > rows {
				rows, needed = d, true
			}
		}
	}
	return rows, needed, true
}

// A footprint is what loops touch. It grows loop by loop: a batch may have thousands.
type footprint struct {
	known map[component]bool
	all   int64 // bytes
	row   int64 // bytes in a row of the loops
	again bool  // some are touched by two loops
}

type component struct {
	field *layout.Field
	comp  int
}

// with returns what is touched with more loops, and the components that are new in it. The map is that of f.
func (f footprint) with(loops []loop) (more footprint, added []component) {
	if f.known == nil {
		f.known = map[component]bool{}
	}
	for i := range loops {
		for _, t := range loops[i].touches {
			c := component{t.field, t.comp}
			shape := t.field.Shape()
			if f.again = f.again || f.known[c]; f.known[c] || len(shape) == 0 {
				continue
			}
			f.known[c] = true
			added = append(added, c)
			bytes := t.field.Len() * t.field.Access(t.comp).Kind.Bytes()
			f.all += bytes
			if t.reach.Known {
				f.row += bytes / max(1, shape[0])
			}
		}
	}
	return f, added
}
