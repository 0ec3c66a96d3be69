package ti

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// An output takes what the launches of one instance record. Records come from
// threads that run iterations in any order; text is written in the order of
// iterations, whatever the number of threads. It belongs to the holder of the
// launch lock.
type output struct {
	kernel string
	to     io.Writer // nil for os.Stdout
	sites  []launch.Site

	races *tracker // nil where nothing is recorded for it
	cells *growth  // takes cells to deactivate; nil where no tree is sparse
	exact bool     // records come in the order of iterations

	lines []line
	words []uint64 // values of lines
	text  []byte

	rt      *Runtime
	room    int64  // bytes that the records of lines may have had
	held    int64  // bytes that they had
	dropped uint64 // records that found no room
	first   uint64 // least number of an iteration that lost one
	remedy  string // what the user can do against that
}

// A line is a record to be written.
type line struct {
	number  uint64 // of its iteration
	at      int    // its values in words
	site, n int32
}

// Record takes a record of the machine code.
func (o *output) Record(n int, slots []uint64) {
	switch o.sites[n].Kind {
	case site.Read, site.Write, site.Update:
		o.races.touch(n, slots)
		return
	case site.Deactivate:
		o.cells.deactivate(n, slots[1:])
		return
	}
	size := 8 * int64(1+len(slots))
	if o.dropped > 0 && (o.exact || slots[0] >= o.first) || size > o.room-o.held {
		o.Dropped(1, slots[0])
		return
	}
	o.held += size
	o.lines = append(o.lines, line{slots[0], len(o.words), int32(n), int32(len(slots) - 1)})
	o.words = append(o.words, slots[1:]...)
}

// Room returns how many bytes of print records may be kept until they are written. It is
// called at the beginning of a launch.
func (o *output) Room() int64 {
	o.room, o.remedy = o.rt.printRoom(o.races != nil), "raise Config.MemoryLimit"
	if n := int64(o.rt.opt.printBuffer); n > 0 && n < o.room/int64(o.rt.printers()) {
		o.room, o.remedy = n*int64(o.rt.printers()), "raise TI_PRINT_BUFFER"
	}
	return o.room
}

// Dropped counts n records that found no room; first is the least number of an iteration
// that lost one. Lines of later iterations are dropped, too.
func (o *output) Dropped(n, first uint64) {
	if o.dropped == 0 || first < o.first {
		o.first = first
	}
	o.dropped += n
}

// printRoom returns how many bytes of print records a launch may keep. They need up to four
// and a half times as much memory, since each is copied to be put in order, into slices
// that grow. In debug mode accesses are recorded, too, and need room.
func (rt *Runtime) printRoom(debug bool) int64 {
	if debug {
		return rt.recordRoom() / 8
	}
	return rt.recordRoom() / 4
}

// printers is the number of threads that may print at a time.
func (rt *Runtime) printers() int {
	if rt.opt.Debug {
		return 1
	}
	return rt.opt.Threads
}

// Flush writes what has been recorded since the last time, and deactivates cells.
func (o *output) Flush() error {
	if o.cells != nil {
		o.cells.collect()
	}
	if len(o.lines) == 0 && o.dropped == 0 {
		return nil
	}
	byNumber := func(a, b line) int { return cmp.Compare(a.number, b.number) }
	if !o.exact && !slices.IsSortedFunc(o.lines, byNumber) {
		slices.SortStableFunc(o.lines, byNumber)
	}
	err := o.writeLines()
	o.reset()
	return err
}

// writeLines writes the lines up to the first one that was dropped, and then a line that
// says how many are missing.
func (o *output) writeLines() error {
	for i, l := range o.lines {
		if o.dropped > 0 && !o.exact && l.number > o.first {
			o.dropped += uint64(len(o.lines) - i)
			break
		}
		o.text = o.sites[l.site].AppendText(o.text, o.words[l.at:l.at+int(l.n)])
		if n := len(o.text); n > writeAtMost || n > writeFrom && o.text[n-1] == '\n' {
			if err := o.write(); err != nil {
				return err
			}
		}
	}
	if o.dropped > 0 {
		o.tellDropped()
	}
	if len(o.text) == 0 {
		return nil
	}
	return o.write()
}

// tellDropped appends a line that says how much is missing.
func (o *output) tellDropped() {
	if n := len(o.text); n > 0 && o.text[n-1] != '\n' {
		o.text = append(o.text, '\n')
	}
	o.text = fmt.Appendf(o.text, "ti: there is no room for all that %s prints in one go; prints dropped: %d; %s or print less\n", o.kernel, o.dropped, o.remedy)
}

const (
	writeFrom   = 1 << 16 // bytes: longer text is written at the next end of a line
	writeAtMost = 1 << 22 // bytes: longer text is written even within a line
)

// reset drops what is held; memory that was much is given back.
func (o *output) reset() {
	const keep = 1 << 16
	o.held, o.dropped, o.first = 0, 0, 0
	if cap(o.text) > 2*writeFrom {
		o.text = nil
	}
	if o.lines, o.words, o.text = o.lines[:0], o.words[:0], o.text[:0]; cap(o.words) > keep || cap(o.lines) > keep {
		o.lines, o.words = nil, nil
	}
}

// write writes the text that has come together. A writer that panics must not take
// the launch lock with it.
func (o *output) write() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("ti: writing what kernel %s prints: panic: %v", o.kernel, p)
		}
	}()
	to := o.to
	if to == nil {
		to = os.Stdout
	}
	_, err = to.Write(o.text)
	o.text = o.text[:0]
	if err != nil {
		return fmt.Errorf("ti: writing what kernel %s prints: %w", o.kernel, err)
	}
	return nil
}
