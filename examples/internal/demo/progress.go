package demo

import (
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
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

// bar is the meter on a terminal.
func (d *Demo) bar(n int, unit string) (advance, finish func()) {
	p := mpb.New(mpb.WithOutput(d.progress), mpb.WithWidth(64))
	bar := p.AddBar(int64(n),
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-12s", d.name)), decor.CountersNoUnit("%d of %d "+unit)),
		mpb.AppendDecorators(decor.Percentage(), decor.Name(" "), decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "done")))
	return bar.Increment, func() {
		bar.Abort(false) // without effect on a bar that is complete
		p.Wait()
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
