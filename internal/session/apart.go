package session

import "unsafe"

// An element of a field is active or inactive as a whole: it goes by the node of its first
// component. Other components may lie apart from it, in cells that come and go by themselves,
// even in another tree. So who writes one of them activates the element too, and when the
// element becomes inactive they become zero, wherever they lie.

// goAlong has the components of the whole field that lie apart zeroed with its elements, and finds
// the part by which elements of a member are active. It is called under rt.mu, before the field is divided.
func (c *Field) goAlong() error {
	if !c.scattered() {
		return nil
	}
	root := c.root()
	if root != c {
		if !root.inUse.Load() {
			if err := root.prepare(); err != nil {
				return err
			}
		}
		if c.lay.NodeOf(c.lo) != c.lay.NodeOf(0) {
			c.lead = &root.parts[0]
		}
		return nil
	}
	if c.followed {
		return nil
	}
	c.divide()
	zero := make([]uint64, (c.typ.Size()+7)/8)
	at := 0
	for k := range c.parts {
		if p := &c.parts[k]; c.lay.Apart(at) {
			c.parts[0].tree.Follow(c.parts[0].node, p.node, func(idx []int) { p.forget(unsafe.Pointer(&zero[0]), idx) })
		}
		at += len(c.parts[k].comps)
	}
	c.followed = true
	return nil
}

// scattered reports whether elements of the field, or of the one that it is a member of, may be active where one of their
// components is not, or the other way round.
func (c *Field) scattered() bool {
	for k := range c.lay.Elem.Comps {
		if c.lay.Apart(k) || c.lay.MayLack(k) {
			return true
		}
	}
	return false
}

// forget zeroes the part of the element at idx, if it is there.
func (p *part) forget(zero unsafe.Pointer, idx []int) {
	if p.home.closed.Load() {
		return
	}
	if first := p.find(idx); first != nil && p.active(idx) {
		put(p.comps, where{first: first, part: p}, goValue{at: zero}, idx)
	}
}
