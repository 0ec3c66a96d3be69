package check

import (
	"maps"

	"github.com/gotaichi/ti/internal/typed"
)

// deps collects the host constants and fields that a declaration depends on, and the
// fields whose extents it needs as constants.
//
// The dependencies of a constant or type that is used are not copied but referred to in
// uses: copying would take quadratic time for a long chain of constants. Flat computes the
// transitive closure when it is needed.
type deps struct {
	consts map[string]bool
	fields map[*typed.Field]bool
	fixed  map[*typed.Field]bool
	uses   map[*deps]bool // the deps of constants and types that are used
}

func newDeps() *deps {
	return &deps{map[string]bool{}, map[*typed.Field]bool{}, map[*typed.Field]bool{}, map[*deps]bool{}}
}

// add adds the host constants of from, its fields needed as constants, and its uses.
func (d *deps) add(from *deps) { // sets into sets: order does not matter
	maps.Copy(d.consts, from.consts)
	maps.Copy(d.fixed, from.fixed)
	maps.Copy(d.uses, from.uses)
}

// short returns an equivalent of d to store for a constant or type: nil if d is empty, and
// the deps it uses if these are all there is. So a chain of declarations that depend on
// nothing, or on one declaration, has length one.
func (d *deps) short() *deps {
	if len(d.consts)+len(d.fixed) > 0 || len(d.uses) > 1 {
		return d
	}
	for u := range d.uses {
		return u
	}
	return nil
}

// flat adds the deps that d uses, directly or indirectly, to d itself.
func (d *deps) flat() {
	visited := map[*deps]bool{}
	for len(d.uses) > 0 { // sets into sets: order does not matter
		next := d.uses
		d.uses = map[*deps]bool{}
		for u := range next {
			if !visited[u] {
				visited[u] = true
				d.add(u)
			}
		}
	}
}

// dependOn notes that what is being checked depends on o.
func (c *checker) dependOn(o *object) {
	if o.host && o.kind == objConst {
		c.deps.consts[o.name] = true
	}
	if o.deps != nil {
		c.deps.uses[o.deps] = true
	}
	if o.field != nil {
		c.deps.fields[o.field] = true
	}
}
