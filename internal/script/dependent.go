package script

import (
	"fmt"
	"maps"
	"strings"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/typed"
)

// DeclareBound declares a source again with the constants among binds. Types that depend on them, as in
// field[[Dim]f64], are known then. One constant may depend on another one, as in var Axes [Dim]f32.
// What is wrong about a binding or does not fit is left for whoever binds it.
func DeclareBound(pkg *check.Package, binds []string) *check.Package {
	consts := map[string]check.HostConst{}
	for {
		before := len(consts)
		for _, b := range binds {
			name, what, _ := strings.Cut(b, "=")
			if _, again := consts[name]; again {
				continue
			}
			if c, ok := constAt(pkg, name, what); ok {
				consts[name] = c
			}
		}
		if len(consts) == before {
			return pkg
		}
		next, errs := pkg.With(maps.Clone(consts))
		if len(errs) > 0 {
			return pkg
		}
		pkg = next
	}
}

// constAt returns the value of the constant at a path, a var or a part of a bundle; false if it is none, or none yet.
func constAt(pkg *check.Package, path, text string) (c check.HostConst, ok bool) {
	n := strings.IndexAny(path, ".[")
	if n < 0 {
		n = len(path)
	}
	for _, v := range pkg.Vars {
		if v.Name != path[:n] {
			continue
		}
		t, err := PartOf(v.Type, path, n)
		if err != nil || IsBundle(t) {
			return c, false
		}
		value, err := constValue(t, text)
		if err != nil {
			return c, false
		}
		return bind.ConstOf(value), true
	}
	return c, false
}

// DependsOnConstants reports a type that cannot be known before constants of the host are.
func DependsOnConstants(pkg *check.Package, t typed.Type) error {
	if f, ok := t.(typed.FieldType); ok {
		t = f.Elem
	}
	if t == nil || typed.HasStruct(t) || IsBundle(t) || typed.ScalarOf(t) != typed.Unknown {
		return nil
	}
	var missing []string
	for _, v := range pkg.Vars {
		if _, ok := pkg.Const(v.Name); ok {
			continue
		}
		if value, err := ConstGuess(v.Type); err == nil {
			missing = append(missing, "-bind "+v.Name+"="+value)
		}
	}
	if len(missing) == 0 {
		return fmt.Errorf("its type depends on constants whose values do not fit the source")
	}
	return fmt.Errorf("its type depends on a constant; give that too, as in %s", strings.Join(missing, " "))
}
