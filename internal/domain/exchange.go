package domain

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/gotaichi/ti/internal/mpi"
)

// A need is rows of a strip that a rank reads, for each rank.
type need struct {
	strip *strip
	of    func(rank int) []rows
}

// A transfer is rows that travel from one rank to another.
type transfer struct {
	from, to int
	strip    *strip
	rows     rows
}

// transfers returns what has to travel so that all ranks have what they need: by receiver, strip and row.
func (w *World) transfers(needs []need) (all []transfer) {
	for to := range w.comm.Size() {
		coming := map[*strip][]rows{} // once, whatever needs them
		for _, n := range needs {
			grid := n.strip.of.grid
			var groups []rows
			for _, missing := range subtract(n.of(to), n.strip.has(to)) {
				groups = append(groups, subtract([]rows{n.strip.groups(missing)}, append(groups, coming[n.strip]...))...)
			}
			coming[n.strip] = append(coming[n.strip], groups...)
			for _, missing := range groups {
				for from := grid.RankOf(missing.lo); from < w.comm.Size(); from++ {
					part := missing.and(grid.Own(from))
					if part.empty() {
						break
					}
					all = append(all, transfer{from, to, n.strip, part})
				}
			}
		}
	}
	return all
}

// bring has rows travel. All ranks call it with the same needs.
func (w *World) bring(needs []need) error {
	if w.comm.Size() == 1 || len(needs) == 0 {
		return nil
	}
	all := w.transfers(needs)
	if len(all) == 0 {
		w.stats.Needless++
		return nil
	}
	w.stats.Exchanges++
	me, mark := w.comm.Rank(), w.mark()
	var requests []*mpi.Request
	marks := map[int][]byte{} // by peer
	tags := map[[2]int]int{}  // how many messages have gone from one rank to another
	for _, t := range all {
		if t.from != me && t.to != me {
			continue
		}
		pair := [2]int{t.from, t.to}
		if tags[pair] == 0 {
			if t.from == me {
				requests = append(requests, w.comm.Send(t.to, 0, mark))
			} else {
				marks[t.from] = make([]byte, len(mark))
				requests = append(requests, w.comm.Recv(t.from, 0, marks[t.from]))
			}
		}
		tags[pair] = min(tags[pair]+1, mpi.MaxTag)
		if t.from == me {
			requests = append(requests, w.comm.Send(t.to, tags[pair], t.strip.memory(t.rows)))
		} else {
			requests = append(requests, w.comm.Recv(t.from, tags[pair], t.strip.memory(t.rows)))
		}
	}
	if err := w.comm.Wait(requests...); err != nil {
		return w.explained(err, marks)
	}
	for from := range w.comm.Size() {
		if theirs, is := marks[from]; is {
			if err := w.sameCall(from, theirs); err != nil {
				return err
			}
		}
	}
	return nil
}

// explained returns an error of a message, which may be of the wrong length because ranks have made different calls.
func (w *World) explained(err error, marks map[int][]byte) error {
	for from := range w.comm.Size() {
		if theirs, is := marks[from]; is && theirs[markName] != 0 {
			if other := w.sameCall(from, theirs); other != nil {
				return other
			}
		}
	}
	return err
}

// A mark says which call of the program a message belongs to: a hash of all calls so far, and the last one by name.
const (
	markName  = 8
	markBytes = 128
)

// called notes a call that all ranks make.
func (w *World) called(name string, values ...uint64) {
	w.name = name
	h := fnv.New64a()
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, w.calls)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	_, _ = h.Write(append(b, name...))
	w.calls = h.Sum64()
}

func (w *World) mark() []byte {
	b := make([]byte, markBytes)
	binary.LittleEndian.PutUint64(b, w.calls)
	copy(b[markName:], w.name)
	return b
}

// sameCall compares the mark of another rank with this one's.
func (w *World) sameCall(from int, mark []byte) error {
	if binary.LittleEndian.Uint64(mark) == w.calls {
		return nil
	}
	name := mark[markName:]
	for i, c := range name {
		if c == 0 {
			name = name[:i]
			break
		}
	}
	if string(name) == w.name {
		return fmt.Errorf("%w: ranks %d and %d both call %s, with other arguments or behind other calls; all ranks must make the same calls in the same order", ErrDiverged, from, w.comm.Rank(), w.name)
	}
	return fmt.Errorf("%w: rank %d calls %s, and rank %d %s; all ranks must make the same calls in the same order", ErrDiverged, from, name, w.comm.Rank(), w.name)
}

// all returns the bytes of each rank, in the order of ranks.
func (w *World) all(own []byte) ([][]byte, error) {
	got, err := w.comm.AllGather(append(w.mark(), own...))
	if err != nil {
		return nil, err
	}
	for from := range got {
		if err := w.sameCall(from, got[from][:markBytes]); err != nil {
			return nil, err
		}
		got[from] = got[from][markBytes:]
	}
	return got, nil
}
