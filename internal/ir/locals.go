package ir

// LargeLocals returns where the local arrays of a task lie that have more than most bytes, one behind the other, and how many bytes they are together. Targets
// whose threads have little memory of their own keep such arrays elsewhere.
func LargeLocals(t *Task, most int64) (offsets map[*Op]int64, total int64) {
	for _, b := range t.Blocks() {
		Visit(b, func(o *Op) bool {
			if o.Code != OpAlloc {
				return true
			}
			if bytes := max(1, o.Aux) * int64(o.Kind.Size()); bytes > most {
				if offsets == nil {
					offsets = map[*Op]int64{}
				}
				offsets[o] = total
				total += (bytes + 15) &^ 15
			}
			return true
		})
	}
	return offsets, total
}
