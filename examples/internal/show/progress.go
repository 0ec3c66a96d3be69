package show

import (
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Steps counts from 0 to n-1 and shows how far it has come: a bar on a terminal, else a line for each tenth.
func (s *Show) Steps(n int, unit string) iter.Seq[int] {
	return func(yield func(int) bool) {
		advance, finish := s.meter(n, unit)
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
func (s *Show) meter(n int, unit string) (advance, finish func()) {
	if s.progress == nil {
		return func() {}, func() {}
	}
	if isTerminal(s.progress) {
		return s.bar(n, unit)
	}
	done := 0
	return func() {
		done++
		if done*10/n != (done-1)*10/n {
			fmt.Fprintf(s.progress, "%s: %d of %d %s\n", s.name, done, n, unit)
		}
	}, func() {}
}

// bar is the meter on a terminal.
func (s *Show) bar(n int, unit string) (advance, finish func()) {
	p := mpb.New(mpb.WithOutput(s.progress), mpb.WithWidth(64))
	bar := p.AddBar(int64(n),
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-12s", s.name)), decor.CountersNoUnit("%d of %d "+unit)),
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
