package job

import (
	"github.com/gotaichi/ti/internal/binform"
	"github.com/gotaichi/ti/internal/launch"
)

// A Flow says that a kernel stores numbers that change, as real numbers do, with others that it reads from fields. Derivatives
// pass from one kernel to the next along flows, as far as the fields have adjoints.
type Flow struct {
	From, To    FieldPart
	Read, Write launch.Place // the first places where the kernel reads the one and stores to the other
	Own         bool         // what it reads it may have stored itself; else it was there before the launch
}

// A FieldPart is a field by its name in the source, and some of its components: a bit for each, as the host counts
// them. From number 63 on they have one in common.
type FieldPart struct {
	Field string
	Comps uint64
}

func codeFlow(c *binform.Codec, f *Flow) {
	for _, p := range []*FieldPart{&f.From, &f.To} {
		c.Text(&p.Field)
		binform.Number(c, &p.Comps)
	}
	codePlace(c, &f.Read)
	codePlace(c, &f.Write)
	c.Flags(&f.Own)
}
