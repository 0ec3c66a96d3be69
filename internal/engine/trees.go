package engine

// Trees is what the engine asks of the sparse trees that a kernel works on. It is
// called by the thread that launches, not while a task runs.
type Trees interface {
	// Prepare comes before each task: it may activate as much as there is memory for.
	Prepare()
	// List returns the address of a list for loops (see [launch.List]) and its number
	// of entries, both valid while the task that comes runs.
	List(node, outer int, masks bool) (addr uintptr, entries int64, err error)
	// Settle comes after each task that ran, also one that was stopped. Its error is
	// that of the launch, which ends there. What the task has deactivated it has
	// recorded: it takes effect when the sink is told to flush.
	Settle() error
}

// enter makes the lists that a task runs over and reads.
func (c *Code) enter(t *task) error {
	c.Trees.Prepare()
	c.entries = c.entries[:0]
	for _, l := range t.Lists {
		addr, n, err := c.Trees.List(l.Node, l.Outer, l.Masks)
		if err != nil {
			return err
		}
		c.bases[l.Base] = uint64(addr)
		c.entries = append(c.entries, n)
	}
	return nil
}
