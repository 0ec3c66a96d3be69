package check

import "maps"

// deps collects host constants and fields that something depends on, and the fields
// whose extents it needs as constants.
//
// A constant or type that is used stands for what it depends on in turn. Taking that in
// at once would make long chains of constants cost the square of their length; flat does
// it where the whole is asked for.
type deps struct {
	consts map[string]bool
	fields map[*Field]bool
	fixed  map[*Field]bool
	uses   map[*deps]bool // of constants and types
}

func newDeps() *deps {
	return &deps{map[string]bool{}, map[*Field]bool{}, map[*Field]bool{}, map[*deps]bool{}}
}

// add takes in the host constants, and the fields needed as constants, that from has.
func (d *deps) add(from *deps) { // sets into sets: order does not matter
	maps.Copy(d.consts, from.consts)
	maps.Copy(d.fixed, from.fixed)
	maps.Copy(d.uses, from.uses)
}

// short returns what stands for d as the dependencies of a constant or type: nothing
// where there are none, and those of another where there are no others. So a chain of
// declarations that depends on nothing, or on one thing, is not walked again and again.
func (d *deps) short() *deps {
	if len(d.consts)+len(d.fixed) > 0 || len(d.uses) > 1 {
		return d
	}
	for u := range d.uses {
		return u
	}
	return nil
}

// flat takes in what d uses, directly or not.
func (d *deps) flat() {
	seen := map[*deps]bool{}
	for len(d.uses) > 0 { // sets into sets: order does not matter
		next := d.uses
		d.uses = map[*deps]bool{}
		for u := range next {
			if !seen[u] {
				seen[u] = true
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
