package engine

// enter makes the lists that a task runs over and reads.
func (c *Code) enter(t *task) error {
	c.Trees.Prepare()
	c.entries = c.entries[:0]
	for _, l := range t.Lists {
		words, n, err := c.Trees.List(l.Node, l.Outer, l.Masks)
		if err != nil {
			return err
		}
		c.bases[l.Base] = addressOf(words)
		if c.place != nil {
			if c.bases[l.Base], err = c.engine.lend(&c.lent[l.Base], words); err != nil {
				return err
			}
		}
		c.entries = append(c.entries, n)
	}
	return nil
}
