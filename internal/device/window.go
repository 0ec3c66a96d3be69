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

// Most is a quarter of what is left.
func (w Window) Most() int64 { return w.Left() / 4 }
