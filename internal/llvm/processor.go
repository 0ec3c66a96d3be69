package llvm

import (
	"slices"
	"sync"
)

// A Processor is one that code is made for: its architecture as GOARCH has it, LLVM's name for
// it, and features in addition to those that the name implies.
type Processor struct{ Arch, CPU, Features string }

// For returns the library as one that makes code for p, whatever this machine's processor is.
func (l *Lib) For(p Processor) *Lib {
	other := &Lib{path: l.path, version: l.version, identity: l.identity, cpu: p.CPU, attrs: p.Features, triple: tripleOf(p.Arch)}
	other.load = sync.OnceValue(func() error {
		if l.load != nil {
			if err := l.load(); err != nil {
				return err
			}
		}
		other.fn, other.backEnds = l.fn, l.backEnds
		return nil
	})
	return other
}

// Makes reports whether the library, which it opens, has the back end for an architecture, as GOARCH has it. Some builds have that of their own machine alone.
func (l *Lib) Makes(goarch string) bool {
	if l.load != nil && l.load() != nil {
		return false
	}
	return slices.Contains(l.backEnds, map[string]string{"amd64": "X86", "arm64": "AArch64"}[goarch])
}
