package launch

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/site"
)

// A Site is a place in the source at which tasks fail, or hand something to the host.
type Site struct {
	site.Site
	Place
	Axes int // how many numbers of Shape are extents of what is indexed; the others limit a component

	// Lengths has the argument slot of each number of Shape that is -1, and -1 for the
	// others. It is nil where all of Shape is constant.
	Lengths []int
	// Field is the number in Kernel.Fields of what a site of kind Deactivate names; -1 for
	// other kinds.
	Field int
}

// Limits returns the limits of the index at s, given the arguments of the launch.
func (s *Site) Limits(args []uint64) []int64 {
	limits := slices.Clone(s.Shape)
	for i, slot := range s.Lengths {
		if slot >= 0 {
			limits[i] = int64(args[slot])
		}
	}
	return limits
}

// A Field is a field or node as a kernel uses it.
type Field struct {
	Name   string // what the source calls it, by which the host finds it
	Memory bool   // it is memory of the caller, or of the kernel: no field of the host

	// Extents has the argument slot that holds the extent of each axis, -1 for one that is
	// a constant; nil where all are.
	Extents []int
}

func (k *Kernel) checkSite(s *Site) error {
	if s.Axes < 0 || s.Axes > len(s.Shape) && len(s.Shape) > 0 || s.Lengths != nil && len(s.Lengths) != len(s.Shape) {
		return fmt.Errorf("launch: the axes of the site %+v do not fit its shape", *s)
	}
	for _, slot := range s.Lengths {
		if slot < -1 || slot >= k.Args {
			return fmt.Errorf("launch: a length of the site %+v is in no argument", *s)
		}
	}
	for _, p := range s.Text {
		if p.Verb != "" && p.Kind != scalar.Bool && !p.Kind.IsNumber() {
			return fmt.Errorf("launch: the site %+v has a value of no kind", *s)
		}
	}
	if s.Field < -1 || s.Field >= len(k.Fields) || !s.Kind.IsKnown() || s.Values() > MaxValues {
		return fmt.Errorf("launch: the site %+v is none", *s)
	}
	return nil
}

func (k *Kernel) checkField(f *Field) error {
	for _, slot := range f.Extents {
		if slot < -1 || slot >= k.Args {
			return fmt.Errorf("launch: an extent of field %s is in no argument", f.Name)
		}
	}
	return nil
}
