package session

import (
	"bytes"
	"fmt"
	"slices"
	"unsafe"
)

// A program that changes fields by itself under a tape breaks the rules of data access like a kernel does. Set and CopyFrom leave
// no trace, and slices cannot. So in debug mode the tape keeps a copy of each dense tree that its launches use, and compares before
// the next launch and at the end.

// A treeCopy is what the memory of a tree was after a launch.
type treeCopy struct {
	tree  *Tree
	bytes []byte
	of    []*Field // in it, that launches use
}

// keep copies the memory of the dense trees of a kernel after a launch. The caller holds the launch lock.
func (t *tape) keep(inst *instance) {
	if t.history == nil {
		return
	}
	for _, f := range inst.checked.Kernel(inst.k.name).Fields {
		c := inst.coreOf(f.Name)
		if c == nil || c.sparse() {
			continue
		}
		for _, tree := range c.uses {
			i := slices.IndexFunc(t.copies, func(k *treeCopy) bool { return k.tree == tree })
			if i < 0 {
				i = len(t.copies)
				t.copies = append(t.copies, &treeCopy{tree: tree})
			}
			k := t.copies[i]
			if root := c.root(); !slices.Contains(k.of, root) {
				k.of = append(k.of, root)
			}
			k.bytes = append(k.bytes[:0], tree.memory()...)
		}
	}
}

// changed finds an element that a launch has used and the program has changed since. The caller holds the launch lock.
func (t *tape) changed() error {
	for _, k := range t.copies {
		if k.tree.closed.Load() || bytes.Equal(k.bytes, k.tree.memory()) {
			continue
		}
		for _, c := range k.of {
			if err := t.changedIn(c, k); err != nil {
				return err
			}
		}
		copy(k.bytes, k.tree.memory()) // what nothing has used may change
	}
	return nil
}

func (t *tape) changedIn(c *Field, k *treeCopy) error {
	number := k.tree.rt.numberOf(c)
	for idx := range c.rowMajor() {
		for n := range c.comps {
			p := &c.comps[n]
			if p.base != k.tree.address() {
				continue
			}
			if p.same(k.bytes, k.tree.memory(), idx[:c.Rank]) {
				continue
			}
			var index []uint64
			for _, i := range idx[:c.Rank] {
				index = append(index, uint64(i))
			}
			by, launch, site, ok := t.history.Known(number, int64(c.lo+n), index)
			if !ok {
				continue
			}
			return &RuntimeError{Kernel: by, Pos: placeOf(site.Place), Err: ErrAccess, Count: 1, Field: c.Name(), Index: slices.Clone(idx[:c.Rank]),
				Msg: fmt.Sprintf("the program has changed %s%v under the tape, by itself or through a slice, after launch %d used it here: the way back would find the new value; change fields before the tape, or by kernels",
					c.Name(), idx[:c.Rank], launch)}
		}
	}
	return nil
}

// same reports whether the component has the same bits in two copies of its tree.
func (p *component) same(a, b []byte, idx []int) bool {
	at := int(p.access.Offset(idx))
	if q := p.packed; q != nil {
		code := func(m []byte) uint64 { return q.code(loadWord(unsafe.Pointer(&m[at]), q.Word.Kind), idx) }
		return code(a) == code(b)
	}
	return bytes.Equal(a[at:at+int(p.size)], b[at:at+int(p.size)])
}
