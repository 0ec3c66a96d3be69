package variant

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/record"
)

// printStatic writes what staticPrint said while a source was checked, but for what
// was said before, when it was checked against other values of its constants. Text
// that cannot be written is lost: it is no reason for a source not to load.
func (m *Maker) printStatic(prints, before []outline.Print) {
	var text []byte
	for _, p := range prints {
		if !slices.Contains(before, p) {
			text = fmt.Appendf(text, "%s: %s\n", p.Pos, p.Text)
		}
	}
	if len(text) > 0 {
		_ = record.Write(m.Opt.Stdout, "staticPrint", text)
	}
}

// A sharedWriter is written to by launches and by the loading of sources, which may
// go on at once.
type sharedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// Shared makes a writer safe for use from several goroutines; nil stands for
// os.Stdout, which is.
func Shared(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return &sharedWriter{w: w}
}
