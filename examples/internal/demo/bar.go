//go:build !js

package demo

import (
	"fmt"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

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
