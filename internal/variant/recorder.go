package variant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/target"
)

// A recorder compiles all kernels that a program is launching for other machines as well, and
// writes them into the files that the program can have instead of a compiler.
type recorder struct {
	dir string
	to  []AheadTarget
}

// NewRecorder makes what TI_RECORD asks for, nil if it asks for nothing. TI_RECORD names a
// folder, TI_RECORD_FOR the levels, with commas.
func NewRecorder(opt *config.Resolved, level func(ahead.Level) (target.Compiler, error), env func(string) string) (*recorder, error) {
	r := &recorder{dir: env("TI_RECORD")}
	if r.dir == "" || opt.Arch == config.Oracle {
		return nil, nil
	}
	levels, err := ahead.ParseLevels(env("TI_RECORD_FOR"))
	if err != nil {
		return nil, fmt.Errorf("ti: in the environment variable TI_RECORD_FOR: %w", err)
	}
	about := ahead.About{Version: front.Version(), Command: env("TI_RECORD_BY")}
	for _, l := range levels {
		c, err := level(l)
		if err != nil {
			return nil, fmt.Errorf("ti: TI_RECORD=%s: code for %v: %w", r.dir, l, err)
		}
		b := ahead.NewBuilder(l, about)
		// Another runtime of the program may have written one before.
		switch data, err := os.ReadFile(r.file(l)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("ti: TI_RECORD=%s: %w", r.dir, err)
		default:
			if err := b.AddFile(string(data)); err != nil {
				return nil, fmt.Errorf("ti: TI_RECORD=%s: %s: %w; delete it", r.dir, r.file(l), err)
			}
		}
		r.to = append(r.to, AheadTarget{Compiler: c, Builder: b})
	}
	return r, nil
}

func (r *recorder) file(l ahead.Level) string { return filepath.Join(r.dir, l.String()+ahead.Ending) }

// record adds a kernel.
func (r *recorder) record(v *Variant, what *ready) error {
	if r == nil {
		return nil
	}
	return v.addAhead(what, r.to)
}

// Program adds the outline of a program as it is checked now. It needs p.mu, or a program that nobody else has yet.
func (r *recorder) Program(p *Program) {
	if r != nil {
		p.addOutline(p.Checked, p.symbolic(), r.to)
	}
}

// Save writes the files.
func (r *recorder) Save() error {
	if r == nil {
		return nil
	}
	err := os.MkdirAll(r.dir, 0o755)
	for _, t := range r.to {
		if err != nil {
			break
		}
		name := r.file(t.Level())
		if err = os.WriteFile(name+".new", t.Bytes(), 0o644); err == nil {
			err = os.Rename(name+".new", name)
		}
	}
	if err != nil {
		return fmt.Errorf("ti: TI_RECORD=%s: %s", r.dir, strings.TrimPrefix(err.Error(), "ti: "))
	}
	return nil
}
