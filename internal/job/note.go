package job

import (
	"cmp"
	"errors"

	"github.com/gotaichi/ti/internal/binform"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// An Answer is what is known of a kernel that has been lowered, beside its code.
type Answer struct {
	Key     target.Key // equal for kernels whose code is
	Code    target.Key // under which a cache has the code
	Regions []Region   // what the entries of its base table are
	Asks    []TopologyUse
	Loads   []FieldAccess

	Recorded []launch.Place // where a derivative stores or needs old values first; none if it does not

	Flows []Flow // of the kernel, also where this is of a derivative
}

// A TopologyUse is a loop over active cells, or a question about them, that a backward pass repeats.
type TopologyUse struct {
	Field   string
	Place   launch.Place
	Changes bool // the kernel may have changed the cells after that
}

// A FieldAccess is a place in the source where a kernel accesses a field.
type FieldAccess struct {
	Field string
	Place launch.Place
}

// Compare orders accesses by field and place.
func (a FieldAccess) Compare(b FieldAccess) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
}

// errAnswer is the error for bytes that are no answer.
var errAnswer = errors.New("nothing known of a kernel, or damaged")

// Append appends the binary form of a to b.
func (a *Answer) Append(b []byte) []byte { return binform.Append(b, a.code) }

// ReadAnswer reads what Append wrote.
func ReadAnswer(data []byte) (*Answer, error) {
	a := &Answer{}
	if err := binform.Read(data, errAnswer, a.code); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Answer) code(c *binform.Codec) {
	c.Header("ti kernel ", 2)
	codeKey(c, &a.Key)
	codeKey(c, &a.Code)
	binform.List(c, &a.Regions, func(c *binform.Codec, r *Region) {
		c.Text(&r.Field)
		binform.Number(c, &r.Comp)
		binform.Number(c, &r.Part)
	})
	binform.List(c, &a.Asks, func(c *binform.Codec, u *TopologyUse) {
		c.Text(&u.Field)
		codePlace(c, &u.Place)
		c.Flags(&u.Changes)
	})
	binform.List(c, &a.Loads, func(c *binform.Codec, u *FieldAccess) {
		c.Text(&u.Field)
		codePlace(c, &u.Place)
	})
	binform.List(c, &a.Recorded, codePlace)
	binform.List(c, &a.Flows, codeFlow)
}

func codeKey(c *binform.Codec, key *target.Key) {
	text := string(key[:])
	if c.Text(&text); len(text) != len(key) {
		c.Fail("a key has the wrong length")
		return
	}
	copy(key[:], text)
}

func codePlace(c *binform.Codec, p *launch.Place) {
	c.Text(&p.File)
	binform.Number(c, &p.Line)
	binform.Number(c, &p.Column)
}
