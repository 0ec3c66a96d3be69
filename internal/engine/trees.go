package engine

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
