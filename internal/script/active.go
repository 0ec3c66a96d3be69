package script

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotaichi/ti"
)

// The domain of a sparse field may be huge, or without an end. So -print shows its active
// elements with their indices, and files of all elements are written up to a size only.

// mostDense is how many bytes a sparse field may have in a file that has all of its
// domain.
const mostDense = 1 << 30

// writable says what stands against writing the whole domain of a field, active or not.
func (b *Field) writable() error {
	if !b.Sparse {
		return nil
	}
	why := "its indices have no bounds"
	if !b.home.Unbounded() {
		bytes := float64(b.Elem().Size()) * numbers(b.Shape()...)
		if bytes <= mostDense {
			return nil
		}
		why = fmt.Sprintf("it would take %.3g GB, active or not", bytes/1e9)
	}
	root, _, _ := strings.Cut(strings.ReplaceAll(b.Name(), "[", "."), ".")
	return fmt.Errorf("such a file has all elements, and %s; save what is active, as in -save %s=%s%s", why, root, strings.ToLower(root), TreeEnding)
}

// mostPrinted is how many elements are printed for people; -json has all.
const mostPrinted = 100

// activeElements are what is active in a field.
type activeElements struct {
	Active   int       `json:"active"`
	Elements []element `json:"elements"`

	zero int // of them, and not among Elements
}

// An element of a sparse field.
type element struct {
	Index []int `json:"index"`
	Value any   `json:"value"`
}

// active collects the active elements in the order of memory: all of them, or for people
// the first of those that are not zero. A dense block is active as a whole, so that most
// of it often is zero.
func (b *Field) active(all bool) (out activeElements, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error: // no memory to find them
			err = p
		default:
			panic(p)
		}
	}()
	out.Elements = []element{}
	for idx, v := range ti.AllOf(b.AnyField) {
		out.Active++
		value := reflect.ValueOf(v)
		switch {
		case !all && value.IsZero():
			out.zero++
		case all || len(out.Elements) < mostPrinted:
			out.Elements = append(out.Elements, element{append([]int{}, idx[:b.rank]...), jsonValue(value)})
		}
	}
	return out, nil
}

// String writes the elements for people, one a line.
func (a activeElements) String() string {
	var s strings.Builder
	switch {
	case a.Active == 0:
		return "nothing is active"
	case a.Active == 1:
		s.WriteString("1 element is active")
	default:
		fmt.Fprintf(&s, "%d elements are active", a.Active)
	}
	if a.zero > 0 {
		fmt.Fprintf(&s, ", %d of them 0", a.zero)
	}
	for i, e := range a.Elements {
		if i == 0 {
			s.WriteString(":")
		}
		fmt.Fprintf(&s, "\n  %v: %s", e.Index, Plain(e.Value))
	}
	if more := a.Active - a.zero - len(a.Elements); more > 0 {
		fmt.Fprintf(&s, "\n  … and %d more, which -json shows", more)
	}
	return s.String()
}
