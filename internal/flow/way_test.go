package flow

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/variant"
)

// A looker is an observer with a name, which another one may not stand beside.
type looker struct {
	Idle
	name    string
	against Observer
	failed  []error
}

var errBeside = errors.New("not beside this one")

func (l *looker) Beside(o Observer) error {
	if o == l.against {
		return errBeside
	}
	return nil
}

func (l *looker) Failed(err error) { l.failed = append(l.failed, err) }

func (w *Way) names() (all []string) {
	for _, o := range w.Observing() {
		all = append(all, o.(*looker).name)
	}
	return all
}

func anyone(Observer) error { return nil }

// TestJoin has observers join and leave: they stand in the order in which they joined, and whoever leaves twice changes nothing.
func TestJoin(t *testing.T) {
	var w Way
	a, b, c := &looker{name: "a"}, &looker{name: "b"}, &looker{name: "c"}
	for _, o := range []*looker{a, b, c} {
		if err := w.Join(o, anyone); err != nil {
			t.Fatal(err)
		}
	}
	before := w.Observing()
	w.Leave(b)
	w.Leave(b)
	if got := w.names(); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("after b has left there are %v", got)
	}
	if len(before) != 3 || before[1] != Observer(b) {
		t.Error("a list that somebody has was changed")
	}
	if err := w.Join(b, anyone); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); !slices.Equal(got, []string{"a", "c", "b"}) {
		t.Errorf("after b has come back there are %v", got)
	}
	for _, o := range []*looker{a, b, c} {
		w.Leave(o)
	}
	if w.observers.Load() != nil {
		t.Error("a way that nobody observes has a list")
	}
}

// TestRefuse has observers refuse others, those that join and those that are there.
func TestRefuse(t *testing.T) {
	var w Way
	late, mine := &looker{name: "late"}, errors.New("I do not")
	first := &looker{name: "first", against: late}
	if err := w.Join(first, anyone); err != nil {
		t.Fatal(err)
	}
	if err := w.Join(late, anyone); err != errBeside {
		t.Errorf("who is refused gets %v", err)
	}
	if err := w.Join(late, func(Observer) error { return mine }); err != mine {
		t.Errorf("who refuses gets %v", err)
	}
	if got := w.names(); !slices.Equal(got, []string{"first"}) {
		t.Errorf("observers are %v", got)
	}
}

// TestExpected asks observers in their order, and notifies them of errors without a launch.
func TestExpected(t *testing.T) {
	var w Way
	k, v := &variant.Kernel{}, &variant.Variant{}
	none, some := &looker{name: "none"}, &expecting{v: v}
	for _, o := range []Observer{none, some} {
		if err := w.Join(o, anyone); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.expected(k, nil); got != v {
		t.Errorf("expected is %v", got)
	}
	err := errors.New("no launch")
	if got := w.failed(err); got != err || len(none.failed) != 1 || none.failed[0] != err {
		t.Errorf("an error comes back as %v, and observers got %v", got, none.failed)
	}
	if w.failed(nil) != nil || len(none.failed) != 1 {
		t.Error("no error is one")
	}
}

type expecting struct {
	Idle
	v *variant.Variant
}

func (e *expecting) Expects(*variant.Kernel, []variant.Arg) *variant.Variant { return e.v }
