package apart

import "github.com/gotaichi/ti/internal/launch"

// trees are those of a launch. Components that follow their cells in dense trees are zeroed in mapped areas.
type trees struct {
	launch.Trees
	w *launcher
}

func (t trees) Prepare() { t.w.host(t.Trees.Prepare) }

func (t trees) List(node, outer int, masks bool) (words []uint64, entries int64, err error) {
	t.w.host(func() { words, entries, err = t.Trees.List(node, outer, masks) })
	return words, entries, err
}

func (t trees) Settle() (err error) {
	t.w.host(func() { err = t.Trees.Settle() })
	return err
}

// sink takes the records of a launch, which may reach the program's own code.
type sink struct {
	launch.Sink
	w *launcher
}

func (s sink) Record(site int, slots []uint64) { s.w.host(func() { s.Sink.Record(site, slots) }) }

func (s sink) Room() (bytes int64) {
	s.w.host(func() { bytes = s.Sink.Room() })
	return bytes
}

func (s sink) Dropped(n, first uint64) { s.w.host(func() { s.Sink.Dropped(n, first) }) }

func (s sink) Flush() (err error) {
	s.w.host(func() { err = s.Sink.Flush() })
	return err
}
