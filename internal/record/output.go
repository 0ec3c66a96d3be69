package record

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// An Output takes what the launches of one kernel record. Records come from
// threads that run iterations in any order; text is written in the order of
// iterations, whatever the number of threads. It belongs to the holder of the
// launch lock.
type Output struct {
	kernel string
	to     io.Writer // nil for os.Stdout
	sites  []launch.Site

	Races    *Races                         // nil where no accesses are recorded
	Watch    func(site int, slots []uint64) // takes accesses, too; may be nil
	Topology *Topology                      // takes cells to deactivate; nil where no tree is sparse
	InOrder  bool                           // records come in the order of iterations

	lines []line
	words []uint64 // values of lines
	text  []byte

	limits  Limits
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
func (o *Output) Record(n int, slots []uint64) {
	switch o.sites[n].Kind {
	case site.Read, site.Write, site.Update:
		o.Races.touch(n, slots)
		if o.Watch != nil {
			o.Watch(n, slots)
		}
		return
	case site.Deactivate:
		o.Topology.deactivate(n, slots[1:])
		return
	}
	size := 8 * int64(1+len(slots))
	if o.dropped > 0 && (o.InOrder || slots[0] >= o.first) || size > o.room-o.held {
		o.Dropped(1, slots[0])
		return
	}
	o.held += size
	o.lines = append(o.lines, line{slots[0], len(o.words), int32(n), int32(len(slots) - 1)})
	o.words = append(o.words, slots[1:]...)
}

// Limits say how much may be recorded.
type Limits struct {
	Room     func() int64 // bytes that the records of a launch may take, whatever they are
	Buffer   int          // bytes for each thread that prints, if there is less room by it; 0 for no such limit
	Printers int          // threads that may print at a time
}

// NewOutput returns what takes the records of the launches of a kernel, which have sites,
// and writes what they print, to os.Stdout if to is nil.
func NewOutput(kernel string, to io.Writer, sites []launch.Site, limits Limits) *Output {
	return &Output{kernel: kernel, to: to, sites: sites, Races: NewRaces(sites), limits: limits}
}

// Room returns how many bytes of print records may be kept until they are written. It is
// called at the beginning of a launch. Print records need up to four and a half times as much
// memory, since each is copied to be put in order, into slices that grow. Accesses are
// recorded, too, where races are looked for, and need room.
func (o *Output) Room() int64 {
	o.room, o.remedy = o.limits.Room()/4, "raise Config.MemoryLimit"
	if o.Races != nil {
		o.room = o.limits.Room() / 8
	}
	if n := int64(o.limits.Buffer); n > 0 && n < o.room/int64(o.limits.Printers) {
		o.room, o.remedy = n*int64(o.limits.Printers), "raise TI_PRINT_BUFFER"
	}
	return o.room
}

// Dropped counts n records that found no room; first is the least number of an iteration
// that lost one. Lines of later iterations are dropped, too.
func (o *Output) Dropped(n, first uint64) {
	if o.dropped == 0 || first < o.first {
		o.first = first
	}
	o.dropped += n
}

// Flush writes what has been recorded since the last time, and deactivates cells.
func (o *Output) Flush() error {
	if o.Topology != nil {
		o.Topology.collect()
	}
	if len(o.lines) == 0 && o.dropped == 0 {
		return nil
	}
	byNumber := func(a, b line) int { return cmp.Compare(a.number, b.number) }
	if !o.InOrder && !slices.IsSortedFunc(o.lines, byNumber) {
		slices.SortStableFunc(o.lines, byNumber)
	}
	err := o.writeLines()
	o.reset()
	return err
}

// writeLines writes the lines up to the first one that was dropped, and then a line that
// says how many are missing.
func (o *Output) writeLines() error {
	for i, l := range o.lines {
		if o.dropped > 0 && !o.InOrder && l.number > o.first {
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
		o.reportDropped()
	}
	if len(o.text) == 0 {
		return nil
	}
	return o.write()
}

// reportDropped appends a line that says how much is missing.
func (o *Output) reportDropped() {
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
func (o *Output) reset() {
	const keep = 1 << 16
	o.held, o.dropped, o.first = 0, 0, 0
	if cap(o.text) > 2*writeFrom {
		o.text = nil
	}
	if o.lines, o.words, o.text = o.lines[:0], o.words[:0], o.text[:0]; cap(o.words) > keep || cap(o.lines) > keep {
		o.lines, o.words = nil, nil
	}
}

// write writes the text that has come together.
func (o *Output) write() error {
	err := Write(o.to, o.kernel, o.text)
	o.text = o.text[:0]
	return err
}

// Write writes text that a kernel prints, to os.Stdout if to is nil. A writer that panics
// must not take the launch lock with it: that is an error, too.
func Write(to io.Writer, kernel string, text []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("ti: writing what kernel %s prints: panic: %v", kernel, p)
		}
	}()
	if to == nil {
		to = os.Stdout
	}
	if _, err = to.Write(text); err != nil {
		return fmt.Errorf("ti: writing what kernel %s prints: %w", kernel, err)
	}
	return nil
}
