package demo

import (
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/gotaichi/ti/page"
)

// Steps counts from 0 to n-1 and shows how far it has come: a bar on a terminal, else a line for each tenth.
func (d *Demo) Steps(n int, unit string) iter.Seq[int] {
	return func(yield func(int) bool) {
		advance, finish := d.meter(n, unit)
		defer finish()
		for i := range n {
			if !yield(i) {
				return
			}
			advance()
		}
	}
}

// meter returns a function to call after each step and one to call at the end.
func (d *Demo) meter(n int, unit string) (advance, finish func()) {
	if d.progress == nil {
		return func() {}, func() {}
	}
	if isTerminal(d.progress) {
		return d.bar(n, unit)
	}
	done := 0
	return func() {
		done++
		if page.Progress(fmt.Sprintf("%s: %d of %d %s", d.name, done, n, unit)) == nil {
			return
		}
		if done*10/n != (done-1)*10/n {
			fmt.Fprintf(d.progress, "%s: %d of %d %s\n", d.name, done, n, unit)
		}
	}, func() {}
}

// Say prints a message, at the end if a bar is shown.
func (d *Demo) Say(format string, args ...any) {
	line := d.name + ": " + fmt.Sprintf(format, args...)
	switch {
	case d.progress == nil:
	case isTerminal(d.progress):
		d.said = append(d.said, line)
	default:
		fmt.Fprintln(d.progress, line)
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
