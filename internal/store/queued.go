package store

// Launches may be queued (package batch). Then the host waits before it touches an element:
//
//   - Methods that map memory, or take the lock of launches, wait there ([Config.Settle], [Config.Launches]).
//   - At and Set touch memory by [Field.Base] without a call. The queue clears it in the trees that its launches use
//     ([Tree.Guard]). They then take the slow path, which waits, and sets it again ([Field.reopen]).
//   - Memory that the host got for good, by Slice or as words, is touched without the package's knowledge. No launch that uses
//     such a field is queued ([Field.Handed]).

// settle waits until no launch is queued.
func (c *Field) settle() error {
	if len(c.uses) == 0 || c.uses[0].st.cfg.Settle == nil {
		return nil
	}
	return c.uses[0].st.cfg.Settle(c)
}

// open lets At and Set touch memory without a call, where that can be.
func (c *Field) open() {
	if c.flat && !c.apart && c.Division() == nil {
		for _, t := range c.uses {
			t.open.Store(true)
		}
		c.Base.Store((*byte)(c.Start()))
	}
}

// reopen is open for a field that has been guarded. It does nothing if a launch is under way, or the caller holds the lock.
func (c *Field) reopen() {
	if !c.flat || c.apart || c.Base.Load() != nil || len(c.uses) == 0 {
		return
	}
	st := c.uses[0].st
	if !st.cfg.Launches.TryLock() {
		return
	}
	defer st.cfg.Launches.Unlock()
	st.mu.Lock()
	defer st.mu.Unlock()
	if !c.Over() && c.Root().misplaced.Load() == nil {
		c.open()
	}
}

// Guard has At and Set of all fields in the tree take the slow path. The caller holds the lock of launches.
func (t *Tree) Guard() {
	if !t.open.Swap(false) {
		return
	}
	t.st.mu.Lock()
	defer t.st.mu.Unlock()
	for _, f := range t.fields {
		f.Base.Store(nil)
	}
}

// hand notes that the host has got memory of the field for good.
func (c *Field) hand() {
	if root := c.Root(); !root.handed.Swap(true) {
		c.uses[0].st.handed.Add(1)
	}
}

// hand notes that the host has got memory of the tree for good.
func (t *Tree) hand() {
	if !t.handed.Swap(true) {
		t.st.handed.Add(1)
	}
}

// Handed reports whether the host has got memory of the field, or of a tree that it lies in, for good.
func (c *Field) Handed() bool {
	if c.Root().handed.Load() {
		return true
	}
	for _, t := range c.uses {
		if t.handed.Load() {
			return true
		}
	}
	return false
}

// Handed is how many fields and trees there are of which the host has got memory for good.
func (st *Store) Handed() uint64 { return st.handed.Load() }
