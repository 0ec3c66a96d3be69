package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gotaichi/ti/internal/native"
)

// A Host is what an open library has said of itself and of this machine. It is plain data, which
// holds as long as the library's file ([Identity]) and the processor are the same.
type Host struct {
	Path     string
	Version  Version
	CPU      string
	Features string
	Chosen   string // the name by which the user has chosen the processor; "" if it is the machine's own
	Machine  string // the machine's own if another was chosen
}

// Host returns what l has said.
func (l *Lib) Host() Host { return Host{l.path, l.version, l.cpu, l.attrs, l.chosen, l.machine} }

// Resume returns the library that said h, without opening it: that takes some 15 ms and 40 MB,
// which a program whose code is all there already can do without. It is opened when it first
// has to compile, and that fails if it is not what it was. A library of this process that is
// open is returned as it is.
func Resume(h Host) *Lib {
	opened.Lock()
	defer opened.Unlock()
	if l := opened.byPath[h.Path]; l != nil {
		if as, err := l.asChosen(h.Chosen); err == nil {
			return as
		}
	}
	l := &Lib{path: h.Path, version: h.Version, cpu: h.CPU, attrs: h.Features, chosen: h.Chosen, machine: h.Machine, triple: HostTriple(), identity: sync.OnceValues(func() (string, error) { return Identity(h.Path) })}
	l.load = sync.OnceValue(func() error {
		file, err := Open(h.Path)
		if err != nil {
			return err
		}
		real, err := file.asChosen(h.Chosen)
		if err != nil {
			return err
		}
		if real.Host() != h {
			return &Unusable{h.Path, ErrDamaged, fmt.Sprintf("it was version %s for %s and is version %s for %s; ti cache clean forgets what it was", h.Version, h.CPU, real.version, real.cpu)}
		}
		l.fn, l.backEnds = file.fn, file.backEnds
		return nil
	})
	return l
}

// File is the file that [Choice.Open] tries first; "" if that is not known without opening
// one.
func (c Choice) File() string {
	if c.Path != "" {
		if info, err := os.Stat(c.Path); err == nil && info.Mode().IsRegular() {
			return c.Path
		}
		return ""
	}
	if found := Find(); len(found) > 0 {
		return found[0].Path
	}
	return ""
}

// Promising returns the file that [Choice.Open] tries first, if it is a libLLVM by its name and by what a look at it
// tells, without opening it; "" if that cannot be said.
func (c Choice) Promising() string {
	path := c.File()
	if native.Missing() != nil || path == "" || !fileName.MatchString(filepath.Base(path)) || inspect(path) != nil {
		return ""
	}
	if n := majorOf(path); n > 0 && n < MinMajor {
		return ""
	}
	return path
}
