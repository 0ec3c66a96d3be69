package scene

import (
	"fmt"
	"io"
)

// Explain writes the source with remarks of the compiler, kernel by kernel; see [ti.Kernel.Explain]. Kernels that need arguments at compile time are left out until they were launched.
func (p *Player) Explain(w io.Writer) error {
	for _, k := range p.session.Package.Kernels {
		if err := p.session.Program.Kernel(k.Name).Explain(w); err != nil {
			fmt.Fprintf(w, "%s: %v\n", k.Name, err)
		}
	}
	return nil
}
