package batch

// A launch of which some loops are dead, but not all, leaves these out where it runs by itself. Where it is linked, the pass deadstores does the same
// to stores; in tiles and beside others it runs with all of its tasks, which changes nothing that anybody reads.

// leaveOut tells the steps of a plan which tasks launches leave out.
func (m *made) leaveOut() {
	of := map[int][]bool{}
	for _, r := range m.left {
		l := &m.graph.Launches[r.Launch]
		without := make([]bool, len(l.Kernel.Tasks))
		for _, n := range r.Segments {
			for _, task := range m.graph.Segments[n].Tasks {
				without[task] = true
			}
		}
		of[r.Launch] = without
	}
	for i := range m.steps {
		s := &m.steps[i]
		for n, launch := range s.launches {
			if of[launch] == nil {
				continue
			}
			if s.without == nil {
				s.without = make([][]bool, len(s.launches))
			}
			s.without[n] = of[launch]
		}
	}
}

// runWithout runs a launch without some of its tasks.
func (q *Queue) runWithout(b *batch, e *entry, without []bool) {
	left := e.variant.LeaveOut(without)
	q.runOne(b, e)
	q.removed.Tasks.Add(int64(left))
}
