package ti

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// An output takes what the launches of one instance record. Records come from
// threads that run iterations in any order; text is written in the order of
// iterations, whatever the number of threads. It belongs to the holder of the
// launch lock.
type output struct {
	kernel string
	to     io.Writer // nil for os.Stdout
	sites  []*ir.Site

	races *tracker // nil where nothing is recorded for it
	cells *growth  // takes cells to deactivate; nil where no tree is sparse
	exact bool     // records come in the order of iterations

	lines []line
	words []uint64 // values of lines
	text  []byte
}

// A line is a record to be written.
type line struct {
	number uint64 // of its iteration
	site   int
	at, n  int // its values in words
}

// Record takes a record of the machine code.
func (o *output) Record(site int, slots []uint64) {
	switch o.sites[site].Kind {
	case ir.SiteRead, ir.SiteWrite, ir.SiteUpdate:
		o.races.touch(site, slots)
		return
	case ir.SiteDeactivate:
		o.cells.deactivate(site, slots[1:])
		return
	}
	o.lines = append(o.lines, line{slots[0], site, len(o.words), len(slots) - 1})
	o.words = append(o.words, slots[1:]...)
}

// Flush writes what has been recorded since the last time, and deactivates cells.
func (o *output) Flush() error {
	if o.cells != nil {
		o.cells.collect()
	}
	if len(o.lines) == 0 {
		return nil
	}
	byNumber := func(a, b line) int { return cmp.Compare(a.number, b.number) }
	if !o.exact && !slices.IsSortedFunc(o.lines, byNumber) {
		slices.SortStableFunc(o.lines, byNumber)
	}
	var err error
	for _, l := range o.lines {
		o.text = o.sites[l.site].AppendText(o.text, o.words[l.at:l.at+l.n])
		if err == nil && len(o.text) > writeFrom && o.text[len(o.text)-1] == '\n' {
			err = o.write()
		}
	}
	if err == nil && len(o.text) > 0 {
		err = o.write()
	}
	o.reset()
	return err
}

// writeFrom is the number of bytes from which on text is written at the next end of
// a line.
const writeFrom = 1 << 16

// reset drops what is held; memory that was much is given back.
func (o *output) reset() {
	const keep = 1 << 16
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
