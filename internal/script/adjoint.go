package script

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/layout"
)

// PlaceDerivatives places the adjoints and tangents of fields.
func (s *Session) PlaceDerivatives(grads, duals []string) error {
	for _, name := range grads {
		if err := s.placeDerivative("grad", name, ti.WithGrad); err != nil {
			return err
		}
	}
	for _, name := range slices.Clone(duals) { // and of the adjoints
		if slices.Contains(grads, name) {
			duals = append(duals, name+".grad")
		}
	}
	for _, name := range duals {
		if err := s.placeDerivative("dual", name, ti.WithDual); err != nil {
			return err
		}
	}
	return nil
}

// derivativeName is how a source names an adjoint or tangent.
var derivativeName = regexp.MustCompile(`\b(\w+)\.(grad|dual)\b`)

// placeNamed places the adjoints and tangents that sources name.
func (s *Session) placeNamed(texts []string) error {
	for _, text := range texts {
		for _, m := range derivativeName.FindAllStringSubmatch(text, -1) {
			of := s.Fields[m[1]]
			if of == nil || s.Fields[m[0]] != nil || of.kind != layout.F16 && of.kind != layout.F32 && of.kind != layout.F64 {
				continue // the checker says what is wrong, if something is
			}
			with := ti.WithGrad
			if m[2] == "dual" {
				with = ti.WithDual
			}
			if err := s.placeDerivative(m[2], m[1], with); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Session) placeDerivative(kind, name string, with func(...ti.AnyField) []ti.AnyField) error {
	f := s.Fields[name]
	path := name + "." + kind
	switch {
	case f == nil:
		_, err := s.Field(name)
		if err == nil {
			err = errors.New("it is a member of a field; name the field")
		}
		return fmt.Errorf("-%s %s: %w", kind, name, err)
	case s.Fields[path] != nil:
		return fmt.Errorf("-%s %s is given twice", kind, name)
	case f.home != nil && f.home.Unbounded():
		return fmt.Errorf("-%s %s: its indices have no bounds", kind, name)
	}
	g := with(f.AnyField)[1]
	if axes := ti.Axes("ijklmnop"[:f.rank]); f.rank == 0 {
		s.Runtime.Place(nil, g)
	} else {
		s.Runtime.NewTree().Origin(axes, f.Origin()...).Dense(axes, f.Shape()...).Place(g)
	}
	s.Fields[path] = &Field{AnyField: g, rank: f.rank, elem: f.elem, kind: f.kind}
	return nil
}

// BindDerivatives gives adjoints and tangents the values that -bind has for them.
func (s *Session) BindDerivatives(binds []string) error {
	for _, b := range binds {
		name, what, _ := strings.Cut(b, "=")
		f := s.Fields[name]
		if f == nil {
			return fmt.Errorf("-bind %s: it is not placed; see -grad and -dual", name)
		}
		if err := f.loadFile(what); err != nil {
			return fmt.Errorf("-bind %s: %w", b, err)
		}
	}
	return nil
}

// IsDerivative reports whether what -bind says is for an adjoint or tangent.
func IsDerivative(bind string) bool {
	name, _, _ := strings.Cut(bind, "=")
	return strings.HasSuffix(name, ".grad") || strings.HasSuffix(name, ".dual")
}
