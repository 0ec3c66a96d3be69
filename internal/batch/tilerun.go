package batch

import "github.com/gotaichi/ti/internal/launch"

// A tiledRun is one run of launches tile by tile.
type tiledRun struct {
	queue *Queue
	batch *batch
	*tiles
	numbers []uint64       // of the launches of each unit
	left    []launch.Range // of each loop: the indices that have not run
}

// runTiles runs launches tile by tile. It reports false if it has run nothing, since a launch cannot be run so now.
func (q *Queue) runTiles(b *batch, t *tiles) bool {
	r := &tiledRun{queue: q, batch: b, tiles: t}
	if !r.ranges() {
		return false
	}
	for i := range t.units {
		u := &t.units[i]
		number, host := b.numbers(u.launches)
		rows, _ := u.code.Rows()
		rows.Begin(number)
		r.numbers = append(r.numbers, number)
		if number != 0 {
			q.removed.Launches.Add(-int64(host))
		}
		q.removed.Tasks.Add(int64(u.saves))
	}
	for below, some := r.lowest(), true; some; {
		below += t.rows
		some = r.tile(below)
	}
	return true
}

// numbers returns the number of the last launch that the program has made, 0 if there is none, and how many are stores of the host.
func (b *batch) numbers(launches []int) (last uint64, host int) {
	for _, i := range launches {
		if number := b.launches[i].number; number != 0 {
			last = number
		} else {
			host++
		}
	}
	return last, host
}

// arguments gives the code of a unit the arguments of its launches.
func (b *batch) arguments(u *unit) {
	for part, i := range u.launches {
		e := &b.launches[i]
		u.code.Set(part, b.args[e.at:e.at+e.args], e.number)
	}
}

// ranges finds out which indices each loop has.
func (r *tiledRun) ranges() bool {
	for i := range r.loops {
		l := &r.loops[i]
		u := &r.units[l.unit]
		r.batch.arguments(u)
		rows, _ := u.code.Rows()
		all, ok := rows.Outer(l.task)
		if !ok {
			return false
		}
		r.left = append(r.left, all)
	}
	return true
}

// firstOf is the first row of the source that index i of a loop stands for.
func (l *tiledLoop) firstOf(i int64) int64 { return l.rows.Low + i*l.rows.Step }

// lowest is the first row of all loops.
func (r *tiledRun) lowest() int64 {
	row, some := int64(0), false
	for i, left := range r.left {
		if first := r.loops[i].firstOf(left.From); left.From < left.To && (!some || first < row) {
			row, some = first, true
		}
	}
	return row
}

// tile runs rows below a number as far as the rows that they need have run. It reports whether any are left.
func (r *tiledRun) tile(below int64) (some bool) {
	for i := range r.loops {
		l, left := &r.loops[i], &r.left[i]
		if left.From >= left.To {
			continue
		}
		end := below
		for _, w := range l.waits {
			if on := r.left[w.on]; on.From < on.To {
				end = min(end, r.loops[w.on].firstOf(on.From)-w.ahead)
			}
		}
		if to := min(left.To, floorDiv(end-l.rows.Low, l.rows.Step)); to > left.From {
			r.run(i, launch.Range{From: left.From, To: to})
		}
		some = some || left.From < left.To
	}
	return some
}

// run runs a piece of a loop. If the launch has failed, which is where it is to end, the rest of it does not run.
func (r *tiledRun) run(i int, piece launch.Range) {
	l := &r.loops[i]
	u := &r.units[l.unit]
	r.batch.arguments(u)
	err := u.code.RunRows(r.queue.ctx, r.numbers[l.unit], l.task, piece)
	r.left[i].From = piece.To
	if err == nil {
		return
	}
	r.queue.fail(&r.batch.launches[u.launches[u.code.Kernel.Tasks[l.task].First]], err)
	for k := i; k < len(r.loops) && r.loops[k].unit == l.unit; k++ {
		r.left[k].From = r.left[k].To
	}
}

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
