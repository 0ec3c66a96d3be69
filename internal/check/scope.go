package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

type objKind uint8

const (
	objConst   objKind = iota // of the source, of the host, or a static loop variable
	objType                   // a type, predeclared or an alias
	objField                  // a field
	objNode                   // a node of the layout
	objBundle                 // an array or struct of fields, nodes and constants
	objFunc                   // a function of the source
	objVar                    // a local variable
	objBuiltin                // a predeclared function
	objPackage                // a library, by the name that an import gives it
	objBad                    // declared wrongly: uses give no further errors
)

// An object is what a name stands for.
type object struct {
	kind objKind
	name string
	file *syntax.File // nil if predeclared
	pos  token.Pos

	// Constants and types of the source are resolved when first used.
	spec  ast.Spec
	index int   // which name of the spec
	iota  int64 // of a const spec
	value ast.Expr
	texpr ast.Expr // its type, in the source
	host  bool     // the host gives the value
	scope *scope   // where the names of the declaration are looked up
	state uint8    // unresolved, busy, done
	deps  *deps    // what it depends on, once it is resolved

	typ   typed.Type
	cst   *typed.Const
	field *typed.Field // of a field or node
	parts []*object    // of a bundle: its elements, or its fields in order
	fn    builtinFn    // of a builtin

	methods map[string]*object // of a struct type
	library *library           // of a package

	decl    *ast.FuncDecl // of a function
	ownRule *ownRule      // of a function with a derivative of its own
	params  []param       // of a function, once needed
	typeArg []typed.Type  // of a generic function, where the source gives them
	generic *object       // the function without these
	literal bool          // a function literal

	of    *object // what a compile-time parameter stands for
	v     *typed.Var
	frame *fn      // the function that declares the variable
	par   *parLoop // the parallel loop that declares the variable

	section *section // of a part of a field

	place  typed.Expr // of a local reference, what it refers to
	origin *object    // the variable that place is part of; nil for memory
	shared bool       // a reference parameter: to memory that other iterations see

	local bool // a function literal that a statement names
	used  bool

	checked bool // a function of which there is an instance

	under      *declared // of a type, where its name leads to; see underlying
	holding    uint8     // unresolved, busy, done: whether holdsField is known
	holdsField bool
}

// exported reports whether o is an exported function that is no method. One of the source is a kernel.
func (o *object) exported() bool {
	return ast.IsExported(o.name) && (o.decl == nil || o.decl.Recv == nil)
}

// topLevel reports whether o is declared at package level.
func (o *object) topLevel() bool { return o.scope != nil && o.scope.home == o.scope }

// ofLibrary reports whether o is declared in a library.
func (o *object) ofLibrary() bool {
	return o.scope != nil && o.scope.home != nil && o.scope.home.library != nil
}

// fullName returns the name of a declaration, behind that of its library if it is in one: rng.State.
func (o *object) fullName() string {
	if o.topLevel() && o.ofLibrary() {
		return o.scope.home.library.prefix + o.name
	}
	return o.name
}

// base returns the function without the type arguments that the source gives.
func (o *object) base() *object {
	if o.generic != nil {
		return o.generic
	}
	return o
}

// root returns the object itself where o is a compile-time parameter bound to it.
func (o *object) root() *object {
	for o.of != nil {
		o = o.of
	}
	return o
}

const (
	unresolved uint8 = iota
	busy
	done
)

// isCalled reports whether name may be that of the host for the struct type o.
func (o *object) isCalled(name string) bool {
	return o.name == name || o.ofLibrary() && ast.IsExported(o.name) && strings.EqualFold(name, o.scope.home.library.name+o.name)
}

// A scope maps names to objects.
type scope struct {
	parent *scope
	names  map[string]*object
	order  []*object

	home    *scope   // the scope of the package around; nil outside of packages
	library *library // of the scope of a library
}

func newScope(parent *scope) *scope {
	s := &scope{parent: parent, names: map[string]*object{}}
	if parent != nil {
		s.home = parent.home
	}
	return s
}

// newPackageScope makes the scope of a package.
func newPackageScope(parent *scope) *scope {
	s := newScope(parent)
	s.home = s
	return s
}

// A where is the place that the checker is at.
type where struct {
	file *syntax.File // in which positions are, and whose imports are visible
	pkg  *scope       // the package of that file
}

// turnTo goes to the declaration of o, to look at what it says, and returns where the checker was.
func (c *checker) turnTo(o *object) where {
	before := c.where
	c.file = o.file
	if o.scope != nil && o.scope.home != nil {
		c.pkg = o.scope.home
	}
	return before
}

// back returns to where the checker was.
func (c *checker) back(to where) { c.where = to }

func (s *scope) lookup(name string) *object {
	for ; s != nil; s = s.parent {
		if o := s.names[name]; o != nil {
			return o
		}
	}
	return nil
}

// insert declares o, or returns what has its name already.
func (s *scope) insert(o *object) *object {
	if o.name == "_" { // takes part in checking, but is not found
		s.order = append(s.order, o)
		return nil
	}
	if old := s.names[o.name]; old != nil {
		return old
	}
	s.names[o.name] = o
	s.order = append(s.order, o)
	return nil
}

// nearest returns the visible name that is most like the given one, "" if none is.
func (s *scope) nearest(name string) string {
	best, bestDist := "", 3
	if len(name) < 4 {
		bestDist = 2
	}
	for ; s != nil; s = s.parent {
		limit := bestDist // names further out have to be nearer
		for n := range s.names {
			d := distance(name, n, bestDist+1)
			if strings.EqualFold(name, n) {
				d = 0
			}
			if d >= limit || d >= len(name) || d >= len(n) {
				continue
			}
			// Of names equally near the first by the alphabet, in whatever order they come.
			if d < bestDist || d == bestDist && n < best {
				best, bestDist = n, d
			}
		}
	}
	return best
}

// distance is the number of edits from a to b (a swap of neighbours is one), or
// limit if there are more.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 64 {
		return limit
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(prev[len(b)], limit)
}

// universe returns the predeclared names for the given widths.
func universe(w typed.Widths) *scope {
	s := newScope(nil)
	addType := func(name string, t typed.Type) {
		s.insert(&object{kind: objType, name: name, typ: t, state: done})
	}
	for _, t := range typed.Scalars() {
		addType(t.String(), t)
	}
	unsigned := unsignedOf(w.Int)
	for _, a := range []struct {
		name string
		t    typed.Scalar
	}{
		{"int", w.Int}, {"float", w.Float}, {"uint", unsigned}, {"byte", typed.U8}, {"rune", typed.I32},
		{"int8", typed.I8}, {"int16", typed.I16}, {"int32", typed.I32}, {"int64", typed.I64},
		{"uint8", typed.U8}, {"uint16", typed.U16}, {"uint32", typed.U32}, {"uint64", typed.U64},
		{"float16", typed.F16}, {"float32", typed.F32}, {"float64", typed.F64},
	} {
		addType(a.name, a.t)
	}
	for _, p := range []struct {
		prefix string
		t      typed.Scalar
	}{{"", w.Float}, {"d", typed.F64}, {"i", w.Int}, {"u", unsigned}} {
		for n := 2; n <= 4; n++ {
			digit := string(rune('0' + n))
			addType(p.prefix+"vec"+digit, typed.ArrayOf(p.t, n))
			if p.t.IsFloat() {
				addType(p.prefix+"mat"+digit, typed.ArrayOf(p.t, n, n))
			}
		}
	}
	addConst := func(name string, t typed.Scalar, n typed.Num) {
		s.insert(&object{kind: objConst, name: name, state: done, typ: t, cst: &typed.Const{ExprBase: typed.ExprBase{T: t}, Vals: []typed.Num{n}}})
	}
	addConst("true", typed.Bool, typed.BoolNum(true))
	addConst("false", typed.Bool, typed.BoolNum(false))
	pi, _ := typed.NumFromLiteral(token.FLOAT, "3.14159265358979323846264338327950288419716939937510582097494459")
	addConst("pi", typed.UntypedFloat, pi)
	addConst("inf", typed.UntypedFloat, typed.FloatNum(posInf))
	addConst("nan", typed.UntypedFloat, typed.FloatNum(notANumber))
	for _, b := range builtinTable() {
		s.insert(&object{kind: objBuiltin, name: b.name, fn: b.check, state: done})
	}
	return s
}
