package store_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestElementTypePosition uses fields of an element type that none can have: the error has
// the position where the field was placed, or else where it is used.
func TestElementTypePosition(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var loose, placed ti.Field[int]
	rt.Place(ti.Shape{4}, &placed)
	untyped := ti.FieldOf("", reflect.TypeFor[uint]())
	for name, use := range map[string]func() error{
		"CopyFrom": func() error { return loose.CopyFrom(make([]int, 4)) },
		"Fill":     func() error { loose.Fill(1); return nil },
		"At":       func() error { loose.At(1); return nil },
		"All": func() error {
			for range loose.All() {
				break
			}
			return nil
		},
		"WriteTo": func() error { _, err := untyped.WriteTo(new(strings.Builder)); return err },
		"AllOf": func() error {
			for range ti.AllOf(untyped) {
				break
			}
			return nil
		},
		"a member":       func() error { return ti.Member[int](&loose, "").CopyFrom(nil) },
		"a placed field": func() error { return placed.CopyFrom(nil) },
		"bound without place": func() error {
			_, err := rt.Compile(ti.Text("", "package p\n\nvar X field[i32]"), ti.Bindings{"X": &loose})
			return err
		},
		"bound": func() error {
			_, err := rt.Compile(ti.Text("", "package p\n\nvar X field[i32]"), ti.Bindings{"X": &placed})
			return err
		},
	} {
		err := titest.Safely(use)
		e, ok := errors.AsType[*ti.SourceError](err)
		if list, many := errors.AsType[ti.SourceErrors](err); many {
			e, ok = list[0], true
		}
		if !ok || e.Code.String() != "TI0807" || !strings.HasSuffix(e.Pos.Filename, "elemtype_test.go") || e.Pos.Line == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
