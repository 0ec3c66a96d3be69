package job

import (
	"github.com/gotaichi/ti/internal/binform"
)

// A SameArg says that an argument of a launch is the same as one of an earlier launch, or of the same one: the linked kernel reads the latter
// for both.
type SameArg struct {
	Slot     int // among those of the launch
	Part, Of int // the other launch, and the slot there
}

// A LinkAnswer is what is known of launches that were to be linked, beside their code.
type LinkAnswer struct {
	Apart  *Apart // why they cannot be; else nil, and what follows is known
	Answer Answer // of the linked kernel
	Tasks  int    // that a launch of it runs; so many that it is of no use where nothing else is known
	Fields []LinkedField
}

// A LinkedField is a field of a linked kernel.
type LinkedField struct {
	Name string
	Part int    // a part that has it
	Of   string // its name there
}

// LayoutOf returns where the fields of a linked kernel lie, whose parts have theirs where of says.
func LayoutOf(fields []LinkedField, of func(part int) Layout) Layout {
	l := Layout{}
	for _, f := range fields {
		l[f.Name] = of(f.Part)[f.Of]
	}
	return l
}

// Append appends the binary form of a to b.
func (a *LinkAnswer) Append(b []byte) []byte { return binform.Append(b, a.code) }

// ReadLinkAnswer reads what Append wrote. Whoever reads it has so many parts.
func ReadLinkAnswer(data []byte, parts int) (*LinkAnswer, error) {
	a := &LinkAnswer{}
	err := binform.Read(data, errAnswer, func(c *binform.Codec) {
		a.code(c)
		for _, f := range a.Fields {
			if f.Part < 0 || f.Part >= parts {
				c.Fail("a field is of no part")
			}
		}
		if a.Apart != nil && (a.Apart.Part < 0 || a.Apart.Part >= parts) {
			c.Fail("what stays apart is no part")
		}
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (a *LinkAnswer) code(c *binform.Codec) {
	c.Header("ti linked ", 1)
	apart := a.Apart != nil
	if c.Flags(&apart); apart {
		if a.Apart == nil {
			a.Apart = &Apart{}
		}
		codePlace(c, &a.Apart.Place)
		c.Text(&a.Apart.Kernel)
		binform.Number(c, &a.Apart.Part)
		c.Text(&a.Apart.Reason)
		return
	}
	a.Answer.code(c)
	binform.Number(c, &a.Tasks)
	binform.List(c, &a.Fields, func(c *binform.Codec, f *LinkedField) {
		c.Text(&f.Name)
		binform.Number(c, &f.Part)
		c.Text(&f.Of)
	})
}
