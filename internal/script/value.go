package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// A value is what the command line has for a constant or an argument: a number,
// a truth value, a list of these, or a name.
type value struct {
	text string  // a number as written, or a name
	list []value // a list, if text is ""
}

// String returns the value as it would be written.
func (v value) String() string {
	if v.text != "" {
		return v.text
	}
	parts := make([]string, len(v.list))
	for i, e := range v.list {
		parts[i] = e.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// parseValues parses "1, [2, 3], X".
func parseValues(s string) ([]value, error) {
	p := &valueParser{s}
	vs, err := p.list("")
	if err != nil {
		return nil, fmt.Errorf("%q: %w", s, err)
	}
	return vs, nil
}

type valueParser struct{ rest string }

// list parses values up to the closing bracket, or to the end if that is "".
func (p *valueParser) list(closing string) ([]value, error) {
	var vs []value
	for {
		p.rest = strings.TrimSpace(p.rest)
		if p.rest == "" {
			if closing == "" && len(vs) == 0 {
				return nil, nil
			}
			return nil, fmt.Errorf("a value was expected at the end")
		}
		if closing != "" && len(vs) == 0 && strings.HasPrefix(p.rest, closing) {
			p.rest = p.rest[1:]
			return vs, nil
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
		p.rest = strings.TrimSpace(p.rest)
		switch {
		case strings.HasPrefix(p.rest, ","):
			p.rest = p.rest[1:]
		case p.rest == "" && closing == "":
			return vs, nil
		case closing != "" && strings.HasPrefix(p.rest, closing):
			p.rest = p.rest[1:]
			return vs, nil
		default:
			return nil, fmt.Errorf("a comma was expected at %q", p.rest)
		}
	}
}

func (p *valueParser) value() (value, error) {
	if strings.HasPrefix(p.rest, "[") {
		p.rest = p.rest[1:]
		list, err := p.list("]")
		return value{list: list}, err
	}
	n, depth := 0, 0
	for ; n < len(p.rest); n++ {
		switch c := p.rest[n]; {
		case c == '(':
			depth++
			continue
		case c == ')' && depth > 0:
			depth--
			continue
		case depth > 0 || !strings.ContainsRune(",[])", rune(c)):
			continue
		}
		break
	}
	v := value{text: strings.TrimSpace(p.rest[:n])}
	if v.text == "" {
		return value{}, fmt.Errorf("a value was expected at %q", p.rest)
	}
	p.rest = p.rest[n:]
	return v, nil
}

// isPlain reports whether a text is a number, a truth value or a name, and no expression.
func isPlain(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || errors.Is(err, strconv.ErrRange) || token.IsIdentifier(strings.ReplaceAll(text, ".", "_"))
}

// mentions reports whether one of some variables is in v.
func (v value) mentions(vars []string) bool {
	if v.text == "" {
		return slices.ContainsFunc(v.list, func(e value) bool { return e.mentions(vars) })
	}
	return slices.ContainsFunc(strings.FieldsFunc(v.text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }),
		func(name string) bool { return slices.Contains(vars, name) })
}

// eval computes the expressions in v, in which variables are what env says.
func (v value) eval(env map[string]constant.Value) (value, error) {
	if v.text == "" {
		list := make([]value, len(v.list))
		for i, e := range v.list {
			var err error
			if list[i], err = e.eval(env); err != nil {
				return v, err
			}
		}
		return value{list: list}, nil
	}
	if _, isVar := env[v.text]; !isVar && isPlain(v.text) {
		return v, nil
	}
	e, err := parser.ParseExpr(v.text)
	if err != nil {
		return v, fmt.Errorf("%q is no value: %w", v.text, asListed(err))
	}
	x, err := evalConstant(e, env)
	if err != nil {
		return v, fmt.Errorf("%q is no value: %w", v.text, err)
	}
	if x.Kind() == constant.Int {
		return value{text: x.ExactString()}, nil
	}
	f, _ := constant.Float64Val(x)
	if math.IsInf(f, 0) {
		return v, fmt.Errorf("%q is no value: it is too large", v.text)
	}
	return value{text: strconv.FormatFloat(f, 'g', -1, 64)}, nil
}

// asListed is the first error that a parser of Go lists, without a position that says nothing.
func asListed(err error) error {
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		return errors.New(list[0].Msg)
	}
	return err
}

// evalConstant computes an expression of numbers, as Go computes constants.
func evalConstant(e ast.Expr, env map[string]constant.Value) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evalConstant(e.X, env)
	case *ast.BasicLit:
		if x := constant.MakeFromLiteral(e.Value, e.Kind, 0); x.Kind() == constant.Int || x.Kind() == constant.Float {
			return x, nil
		}
	case *ast.Ident:
		if x, ok := env[e.Name]; ok {
			return x, nil
		}
		return nil, fmt.Errorf("%s is no variable of a loop around it", e.Name)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "int" && len(e.Args) == 1 {
			x, err := evalConstant(e.Args[0], env)
			if err != nil {
				return nil, err
			}
			return floor(x), nil
		}
	case *ast.UnaryExpr:
		x, err := evalConstant(e.X, env)
		if err == nil && (e.Op == token.SUB || e.Op == token.ADD) {
			x = constant.UnaryOp(e.Op, x, 0)
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	case *ast.BinaryExpr:
		x, err := evalConstant(e.X, env)
		if err != nil {
			return nil, err
		}
		y, err := evalConstant(e.Y, env)
		if err != nil {
			return nil, err
		}
		return operate(e.Op, x, y)
	}
	return nil, errors.New("it may have numbers, variables of loops, + - * / %, int(x), which rounds down, and parentheses")
}

// floor is the largest whole number that is not above x.
func floor(x constant.Value) constant.Value {
	if x.Kind() == constant.Int {
		return x
	}
	f, _ := constant.Float64Val(x)
	return constant.ToInt(constant.MakeFloat64(math.Floor(f)))
}

func operate(op token.Token, x, y constant.Value) (constant.Value, error) {
	whole := x.Kind() == constant.Int && y.Kind() == constant.Int
	switch {
	case op != token.ADD && op != token.SUB && op != token.MUL && op != token.QUO && op != token.REM:
		return nil, fmt.Errorf("there is no operator %s here", op)
	case (op == token.QUO || op == token.REM) && constant.Sign(y) == 0:
		return nil, errors.New("it divides by zero")
	case op == token.REM && !whole:
		return nil, errors.New("% is for whole numbers")
	case op == token.QUO && whole:
		op = token.QUO_ASSIGN // the quotient of whole numbers is one
	}
	if x = constant.BinaryOp(x, op, y); x.Kind() == constant.Unknown {
		return nil, errors.New("it is too large")
	}
	return x, nil
}

// goValue converts v to the Go type t: a scalar or nested arrays of scalars.
func (v value) goValue(t reflect.Type) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	return out, v.store(out)
}

func (v value) store(out reflect.Value) error {
	t := out.Type()
	if t.Kind() == reflect.Array {
		if v.text != "" || len(v.list) != t.Len() {
			return fmt.Errorf("%s is not a list of %d", v, t.Len())
		}
		for i, e := range v.list {
			if err := e.store(out.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if v.text == "" {
		return fmt.Errorf("%s is a list where one value is needed", v)
	}
	return v.scalar(out)
}

// scalar stores a number or truth value.
func (v value) scalar(out reflect.Value) error {
	bad := func() error { return fmt.Errorf("%q is not a value of type %s", v.text, kernelName(out.Type())) }
	switch t := out.Type(); {
	case t.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(v.text)
		if err != nil {
			return bad()
		}
		out.SetBool(b)
	case out.CanInt():
		n, err := strconv.ParseInt(v.text, 0, t.Bits())
		if err != nil {
			return bad()
		}
		out.SetInt(n)
	case kindOf(t) == layout.F16:
		x, err := strconv.ParseFloat(v.text, 64)
		h := half.From64(x)
		if err != nil || math.IsInf(half.To64(h), 0) && !math.IsInf(x, 0) {
			return bad()
		}
		out.SetUint(uint64(h))
	case out.CanUint():
		n, err := strconv.ParseUint(v.text, 0, t.Bits())
		if err != nil {
			return bad()
		}
		out.SetUint(n)
	case out.CanFloat():
		x, err := strconv.ParseFloat(v.text, t.Bits())
		if err != nil {
			return bad()
		}
		out.SetFloat(x)
	default:
		return bad()
	}
	return nil
}

// kernelName returns the name that a Go type has in kernels.
func kernelName(t reflect.Type) string {
	if t.Kind() == reflect.Array {
		return fmt.Sprintf("[%d]%s", t.Len(), kernelName(t.Elem()))
	}
	if k, ok := layout.KindOf(t); ok {
		return k.String()
	}
	return t.String()
}

// jsonValue returns a kernel's result in a form for JSON.
func jsonValue(v reflect.Value) any {
	if v.Kind() == reflect.Array {
		list := make([]any, v.Len())
		for i := range list {
			list[i] = jsonValue(v.Index(i))
		}
		return list
	}
	kind := kindOf(v.Type())
	switch {
	case v.Kind() == reflect.Struct:
		return structValue(v)
	case kind == layout.F16:
		return JSONNumber(half.To64(uint16(v.Uint())), kind)
	case v.CanInt():
		return JSONNumber(v.Int(), kind)
	case v.CanUint():
		return JSONNumber(v.Uint(), kind)
	case v.CanFloat():
		return JSONNumber(v.Float(), kind)
	}
	return v.Bool()
}

// JSONNumber formats floats with the digits that tell them apart, NaN and
// infinities as strings.
func JSONNumber(v any, kind layout.Kind) any {
	f, ok := v.(float64)
	switch {
	case !ok:
		return v
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	bits := 64
	switch kind {
	case layout.F16:
		f = half.Shortest(half.From64(f))
	case layout.F32:
		bits = 32
	}
	format := byte('g')
	if a := math.Abs(f); a == 0 || a >= 1e-6 && a < 1e21 {
		format = 'f'
	}
	return json.RawMessage(strconv.FormatFloat(f, format, -1, bits))
}

// Plain formats what jsonValue and nested return for people.
func Plain(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = Plain(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case json.RawMessage:
		return string(v)
	}
	return fmt.Sprint(v)
}
