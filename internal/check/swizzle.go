package check

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// swizzleSets are the names of the first four components: as a position, as a colour
// and as a coordinate of a texture. A swizzle takes its letters from one of them.
var swizzleSets = [...]string{"xyzw", "rgba", "stpq"}

// maxSwizzle is the number of letters that a swizzle has at most.
const maxSwizzle = 8

// swizzle returns the components that the letters of name choose, and the sets that the
// letters are from: more than one is a mistake. It is not ok if a letter is of none.
func swizzle(name string) (comps []int, sets []string, ok bool) {
	for _, r := range name {
		set := swizzleSet(r)
		if set == "" {
			return nil, nil, false
		}
		comps = append(comps, strings.IndexRune(set, r))
		if !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	return comps, sets, len(comps) > 0 && len(comps) <= maxSwizzle
}

// swizzleSet returns the set that a letter belongs to, "" if to none.
func swizzleSet(r rune) string {
	for _, set := range swizzleSets {
		if strings.ContainsRune(set, r) {
			return set
		}
	}
	return ""
}

// spelled returns the swizzle of the components in the letters of a set.
func spelled(comps []int, set string) string {
	letters := make([]byte, len(comps))
	for i, k := range comps {
		letters[i] = set[k]
	}
	return string(letters)
}

// vectorMember checks v.name of a vector of n components.
func (c *checker) vectorMember(x typed.Expr, n int, e *ast.SelectorExpr) operand {
	t, name := x.Type(), e.Sel.Name
	comps, sets, ok := swizzle(name)
	if ok && len(sets) > 1 {
		c.errorf(syntax.NoMember, e.Sel.Pos(), "take all letters from one set: "+c.shortText(e.X)+"."+spelled(comps, sets[0]),
			"%s mixes letters of %s", name, strings.Join(sets, " and "))
		return operand{}
	}
	for _, i := range comps {
		ok = ok && i < n
	}
	if !ok {
		help := c.memberHelp(methods, e)
		if help == "" {
			set := swizzleSets[0]
			if len(sets) == 1 {
				set = sets[0]
			}
			help = "its components are " + set[:min(len(set), n)] + ", .n is their number"
			if n == 0 {
				help = "it has no components, as a field of rank 0 has no axes"
			}
		}
		c.errorf(syntax.NoMember, e.Sel.Pos(), help, "%s has no member %s", t, name)
		return operand{}
	}
	s := typed.ScalarOf(t)
	if len(comps) == 1 {
		return valueOf(extract(x, s, comps, c.at(e.Sel.Pos())))
	}
	return valueOf(extract(x, typed.ArrayOf(s, len(comps)), comps, c.at(e.Sel.Pos())))
}
