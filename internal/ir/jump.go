package ir

// Jumps reports whether o, or an op in it, is a jump of this code to target.
func Jumps(o *Op, code Code, target *Op) bool {
	found := false
	Visit(&Block{Ops: []*Op{o}}, func(q *Op) bool {
		found = found || q.Code == code && q.Target == target
		return !found
	})
	return found
}
