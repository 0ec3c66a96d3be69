package target

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
)

func TestRegistry(t *testing.T) {
	full := func(name string) Target {
		return Target{
			Name:     name,
			Compiler: func() (Compiler, error) { return nil, ErrNoLibrary },
			Text:     None{},
			Machine:  func(m launch.Machine, _ int) (launch.Machine, error) { return m, nil },
		}
	}
	r, err := NewRegistry(full("a"), full("b"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Find("b"); err != nil || got.Name != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	hidden := full("c")
	hidden.Tests = true
	if all, err := NewRegistry(full("a"), hidden); err != nil || len(all.Offered()) != 1 || all.Offered()[0].Name != "a" {
		t.Errorf("of two targets, one for tests, %v are offered; error %v", all.Offered(), err)
	}
	if got := r.Default(); got.Name != "a" {
		t.Errorf("the default is %s", got.Name)
	}
	if _, err := r.Find("c"); err == nil || !strings.Contains(err.Error(), `"c"; there are: a, b`) {
		t.Error(err)
	}
	lacking := full("b")
	lacking.Machine = nil
	for says, targets := range map[string][]Target{
		`two targets "a"`:       {full("a"), full("b"), full("a")},
		"lacks a name":          {full("")},
		`target "b" lacks a na`: {full("a"), lacking},
	} {
		if _, err := NewRegistry(targets...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
