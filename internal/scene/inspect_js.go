package scene

import (
	"fmt"
	"io"

	"github.com/gotaichi/ti/internal/script"
)

// explained is the stage that is the source with remarks of the compiler, for [Player.Inspect].
const explained = "explain"

// Shows reports whether the scene has a window.
func (p *Player) Shows() bool { return p.scene.shows() }

// Kernels are the names of the source's kernels.
func (p *Player) Kernels() (names []string) {
	for _, k := range p.session.Package.Kernels {
		names = append(names, k.Name)
	}
	return names
}

// Stages are what [Player.Inspect] writes: first the source with remarks, then each stage of compilation.
func (p *Player) Stages() ([]string, error) {
	stages, err := script.Stages(p.session.Runtime.Device().Arch)
	return append([]string{explained}, stages...), err
}

// Inspect writes what the compiler has made of a kernel, or of all of them if kernel is "", up to a stage. A kernel that needs arguments at compile
// time is written as it was launched last, and left out, with the reason, until then.
func (p *Player) Inspect(w io.Writer, kernel, stage string) error {
	names := []string{kernel}
	if kernel == "" {
		names = p.Kernels()
	}
	for _, name := range names {
		k := p.session.Program.Kernel(name)
		if k == nil {
			return fmt.Errorf("the source has no kernel %s", name)
		}
		if err := k.Dump(w, stage); err != nil {
			fmt.Fprintf(w, "%s: %v\n", name, err)
		}
	}
	return nil
}
