package domain

// spoil has rows overwritten that are not valid on this rank. Groups of rows travel as a whole, so only those without a valid row are.
func (w *World) spoil() {
	if w.Spoil == nil {
		return
	}
	me := w.comm.Rank()
	for _, d := range w.trees {
		for _, s := range d.strips {
			for lo := int64(0); lo < d.grid.Rows; lo += s.group {
				group := rows{lo, min(lo+s.group, d.grid.Rows)}
				if left := subtract([]rows{group}, s.has(me)); len(left) == 1 && left[0] == group {
					w.Spoil(s.memory(group))
				}
			}
		}
	}
}
