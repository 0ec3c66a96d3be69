package device

import "github.com/gotaichi/ti/internal/memory"

// Window is memory that a program with addresses of 32 bits reaches, see [memory.Window].
type Window struct{ *memory.Window }

var (
	_ Memory = Window{}
	_ Space  = Window{}
)

// Allocate returns an area of so many bytes, rounded up.
func (w Window) Allocate(bytes int64) (Area, error) {
	r, err := w.Map(bytes)
	if err != nil {
		return nil, err
	}
	return Of(r), nil
}

// Space is all of the window.
func (w Window) Space() Space { return w }

// forOthers is how much of a window is left to what is reserved in full: stacks, copies, and fields that come later.
const forOthers = 512 << 20

// Most is a quarter of what is left beyond forOthers. When little of that is left it is a sixteenth of all, so that dozens of regions leave room for
// the stacks of a few threads.
func (w Window) Most() int64 {
	left := w.Left()
	return max((left-forOthers)/4, left/16)
}
