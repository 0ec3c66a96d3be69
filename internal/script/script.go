package script

import (
	"context"
	"errors"
	"fmt"
	"go/constant"
	"go/scanner"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/check"
)

// What -call launches is a list of statements in Go's syntax: calls of kernels, and loops over a
// range, as in "for i := range 100 { Step(); Paint(0.03*i) }". Arguments are values as -bind has
// them, or expressions of numbers and loop variables.

// A Statement is a call, or a loop if it has a body.
type Statement struct {
	text string

	kernel  *check.KernelDecl
	args    []value
	Planned *call // of a call whose arguments no loop variable is in

	count    value
	variable string // of a loop; "" if it has none
	body     []*Statement
	Loop     bool
}

// mostIterations bounds a loop of -call, so that a slip does not run for ever.
const mostIterations int64 = 1 << 31

// A scriptParser reads statements.
type scriptParser struct {
	s      *Session
	text   string
	tokens []scriptToken
	vars   []string // of the loops around
}

type scriptToken struct {
	tok   token.Token
	at    int // where it stands in the text
	after int // where it ends
}

// ParseScript reads what one -call has, and finds all that is wrong with it before anything is
// launched. Expressions may have variables, which [Runner.Set] gives their values.
func (s *Session) ParseScript(text string, variables ...string) ([]*Statement, error) {
	p := &scriptParser{s: s, text: text, tokens: scriptTokens(text), vars: slices.Clone(variables)}
	list, err := p.list(token.EOF)
	if err == nil && len(list) == 0 {
		err = p.noCall()
	}
	if err != nil {
		return nil, fmt.Errorf("-call %q: %w", text, err)
	}
	return list, nil
}

func scriptTokens(text string) (tokens []scriptToken) {
	var sc scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	sc.Init(file, []byte(text), func(token.Position, string) {}, 0) // what it cannot read is no statement either
	for {
		pos, tok, lit := sc.Scan()
		at := file.Offset(pos)
		n := len(lit)
		if n == 0 {
			n = len(tok.String())
		}
		tokens = append(tokens, scriptToken{tok, at, min(at+n, len(text))})
		if tok == token.EOF {
			return tokens
		}
	}
}

func (p *scriptParser) peek() token.Token { return p.tokens[0].tok }

func (p *scriptParser) next() scriptToken {
	t := p.tokens[0]
	if t.tok != token.EOF {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *scriptParser) noCall() error {
	return errors.New("it is not a call; write 'Name()' or 'Name(1, 2)', several with ; between them, or 'for range 100 { Name() }'")
}

// list reads statements up to a token, which it takes too.
func (p *scriptParser) list(end token.Token) (list []*Statement, err error) {
	for {
		for p.peek() == token.SEMICOLON {
			p.next()
		}
		switch p.peek() {
		case end:
			p.next()
			return list, nil
		case token.EOF:
			return nil, errors.New("a } is missing at the end")
		}
		st, err := p.statement()
		if err != nil {
			return nil, err
		}
		list = append(list, st)
		if t := p.peek(); t != token.SEMICOLON && t != end && t != token.EOF {
			return nil, fmt.Errorf("a ; is missing before %q", p.text[p.tokens[0].at:])
		}
	}
}

func (p *scriptParser) statement() (*Statement, error) {
	if p.peek() == token.FOR {
		return p.forRange()
	}
	begin := p.next()
	open := p.next()
	if begin.tok != token.IDENT || open.tok != token.LPAREN {
		return nil, p.noCall()
	}
	depth := 1
	var last scriptToken
	for depth > 0 {
		switch last = p.next(); last.tok {
		case token.LPAREN:
			depth++
		case token.RPAREN:
			depth--
		case token.EOF:
			return nil, p.noCall()
		}
	}
	st := &Statement{text: p.text[begin.at:last.after]}
	return st, p.call(st, p.text[begin.at:begin.after], p.text[open.after:last.at])
}

// call finds the kernel of a statement. If no loop variable is in the arguments, it checks them.
func (p *scriptParser) call(st *Statement, name, args string) error {
	kernels := p.s.Package.Kernels
	i := slices.IndexFunc(kernels, func(k *check.KernelDecl) bool { return k.Name == name })
	if i < 0 {
		var names []string
		for _, k := range kernels {
			names = append(names, k.Name)
		}
		return fmt.Errorf("the source has no kernel %s; it has %s", name, Listed(names))
	}
	var err error
	if st.args, err = parseValues(args); err != nil {
		return err
	}
	st.kernel = kernels[i]
	if slices.ContainsFunc(st.args, func(v value) bool { return v.mentions(p.vars) }) { // checked in each iteration
		if len(st.args) != len(st.kernel.Params) {
			return wrongCount(st.kernel, len(st.args))
		}
		return nil
	}
	st.Planned, err = p.s.newCall(st, nil)
	return err
}

// forRange reads "for range 100 { … }" or "for i := range 100 { … }".
func (p *scriptParser) forRange() (*Statement, error) {
	begin := p.next()
	st := &Statement{Loop: true}
	if p.peek() == token.IDENT {
		t := p.next()
		st.variable = p.text[t.at:t.after]
		if p.peek() != token.DEFINE {
			return nil, fmt.Errorf("a loop is written 'for range 100 { … }' or 'for i := range 100 { … }'")
		}
		p.next()
	}
	if p.next().tok != token.RANGE {
		return nil, fmt.Errorf("a loop is written 'for range 100 { … }' or 'for i := range 100 { … }'")
	}
	from := p.tokens[0].at
	for p.peek() != token.LBRACE {
		if p.next().tok == token.EOF {
			return nil, errors.New("the { of a loop is missing")
		}
	}
	open := p.next()
	st.count = value{text: strings.TrimSpace(p.text[from:open.at])}
	if !st.count.mentions(p.vars) {
		if _, err := st.iterations(nil); err != nil {
			return nil, err
		}
	}
	if st.variable != "" {
		p.vars = append(p.vars, st.variable)
		defer func() { p.vars = p.vars[:len(p.vars)-1] }()
	}
	var err error
	if st.body, err = p.list(token.RBRACE); err != nil {
		return nil, err
	}
	st.text = p.text[begin.at:p.tokens[0].at]
	return st, nil
}

// iterations is how often a loop runs.
func (st *Statement) iterations(env map[string]constant.Value) (int64, error) {
	v, err := st.count.eval(env)
	if err != nil {
		return 0, err
	}
	n, ok := constant.Int64Val(constant.MakeFromLiteral(v.text, token.INT, 0))
	if !ok || n < 0 || n > mostIterations {
		return 0, fmt.Errorf("a loop runs a whole number of times, at most %d, and not %s", mostIterations, v)
	}
	return n, nil
}

// A Runner launches what scripts say.
type Runner struct {
	Ctx      context.Context
	Session  *Session
	Notes    io.Writer // for how long the launches of a repeated call took
	Launched func()    // is called when a call has ended
	Report   func(r Report, inLoop bool)
	env      map[string]constant.Value
}

// Set gives a variable a number, for the statements that run next. A whole one is a whole number to them.
func (r *Runner) Set(name string, x float64, whole bool) {
	if r.env == nil {
		r.env = map[string]constant.Value{}
	}
	if r.env[name] = constant.MakeFloat64(x); whole {
		r.env[name] = constant.MakeInt64(int64(x))
	}
}

// Int computes an expression that is a whole number.
func (r *Runner) Int(text string) (int64, error) {
	v, err := value{text: text}.eval(r.env)
	if err != nil {
		return 0, err
	}
	n, ok := constant.Int64Val(constant.MakeFromLiteral(v.text, token.INT, 0))
	if !ok {
		return 0, fmt.Errorf("%s is %s, and no whole number", text, v)
	}
	return n, nil
}

// Number computes an expression.
func (r *Runner) Number(text string) (float64, error) {
	v, err := value{text: text}.eval(r.env)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || x-x != 0 {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return x, nil
}

// ErrLaunch ends a loop in which a launch has failed, as the report says.
var ErrLaunch = errors.New("a launch failed")

// Run executes statements. A launch that fails ends the loops around it, and the others go on.
func (r *Runner) Run(list []*Statement, inLoop bool) error {
	for _, st := range list {
		err := r.statement(st, inLoop)
		if err == ErrLaunch && !inLoop {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) statement(st *Statement, inLoop bool) error {
	if st.Loop {
		return r.loop(st)
	}
	c := st.Planned
	if c == nil {
		var err error
		if c, err = r.Session.newCall(st, r.env); err != nil {
			return fmt.Errorf("-call %q: %w", st.text, err)
		}
	}
	rep, err := c.launch(r)
	if err != nil {
		return err
	}
	r.Report(rep, inLoop)
	if rep.Error != "" {
		return ErrLaunch
	}
	return nil
}

func (r *Runner) loop(st *Statement) error {
	n, err := st.iterations(r.env)
	if err != nil {
		return fmt.Errorf("-call %q: %w", st.text, err)
	}
	outer, shadowed := r.env[st.variable]
	if r.env == nil {
		r.env = map[string]constant.Value{}
	}
	const often = 1 << 10 // loops without a launch must end, too
	for i := range n {
		if i%often == 0 && r.Ctx.Err() != nil {
			return r.Ctx.Err()
		}
		if st.variable != "" {
			r.env[st.variable] = constant.MakeInt64(i)
		}
		if err := r.Run(st.body, true); err != nil {
			return err
		}
	}
	if delete(r.env, st.variable); shadowed {
		r.env[st.variable] = outer
	}
	return nil
}
