package main

import (
	"github.com/gotaichi/ti/internal/script"

	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

// derivativeFlags ask for derivatives.
type derivativeFlags struct {
	Grad    []string `placeholder:"NAME,…" help:"Place the adjoints of fields: X.grad of X, for -print, -save and kernels."`
	Dual    []string `placeholder:"NAME,…" help:"Place the tangents of fields, X.dual, which -bind may give values; X.grad.dual too for those of adjoints."`
	Tape    []string `sep:"none" placeholder:"LOSS" help:"Differentiate the next -call in reverse: afterwards X.grad has the derivative of LOSS by X."`
	Tangent int      `type:"counter" help:"Let the next -call carry tangents; with -tape, the tape is differentiated once more."`
	Check   bool     `name:"gradcheck" help:"Compare what each -tape gives with difference quotients, before it runs."`
}

// An action is what one -call asks for, with the -tape and -tangent before it.
type action struct {
	script  []*script.Statement
	text    string // of -call
	loss    string // of -tape; "" for none
	tangent bool
}

// actions puts what -call, -tape and -tangent say into the order of the command line, args.
func (c *runCmd) actions(args []string) (list []action, err error) {
	calls, tapes := c.Call, c.Derivatives.Tape
	var next action
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		switch {
		case name == "call" && len(calls) > 0:
			next.text = calls[0]
			list = append(list, next)
			calls, next = calls[1:], action{}
		case name == "tape" && len(tapes) > 0:
			if next.loss != "" {
				return nil, fmt.Errorf("-tape %s: there is no -call between it and -tape %s", tapes[0], next.loss)
			}
			next.loss, tapes = tapes[0], tapes[1:]
		case name == "tangent":
			next.tangent = true
		}
	}
	for _, text := range calls { // whatever the order, as from a test
		next.text = text
		list, next = append(list, next), action{}
	}
	switch {
	case next.loss != "" || len(tapes) > 0:
		return nil, fmt.Errorf("-tape %s stands behind the last -call; it records the one that follows", next.loss)
	case next.tangent:
		return nil, errors.New("-tangent stands behind the last -call; it is for the one that follows")
	}
	return list, nil
}

// planTapes checks the losses of tapes.
func (c *runCmd) planTapes(s *script.Session, list []action) error {
	for _, a := range list {
		if a.loss == "" {
			continue
		}
		if _, err := s.Field(a.loss); err != nil {
			return fmt.Errorf("-tape %s: %w", a.loss, err)
		}
		if !slices.Contains(c.Derivatives.Grad, a.loss) {
			return fmt.Errorf("-tape %s: its adjoint is not placed; name it in -grad too", a.loss)
		}
	}
	if c.Derivatives.Check && !slices.ContainsFunc(list, func(a action) bool { return a.loss != "" }) {
		return errors.New("-gradcheck is for what -tape records, and there is none")
	}
	return nil
}

// derive makes the launches of an action. What a launch says is reported by run.
func (c *runCmd) derive(run *script.Runner, a action) error {
	launches := func() error { return run.Run(a.script, false) }
	f := launches
	if a.loss != "" || a.tangent {
		f = func() error { // a failed launch is reported, and ends what it is part of
			failed := false
			report := run.Report
			run.Report = func(r script.Report, inLoop bool) {
				failed = failed || r.Error != ""
				report(r, inLoop)
			}
			defer func() { run.Report = report }()
			if err := launches(); err != nil || !failed {
				return err
			}
			return script.ErrLaunch
		}
	}
	if a.loss != "" {
		loss, once := run.Session.Fields[a.loss], f
		if c.Derivatives.Check {
			if err := c.gradcheck(run, a, loss); err != nil {
				return fmt.Errorf("-tape %s: %w", a.loss, err)
			}
		}
		f = func() error { return run.Session.Runtime.Tape(loss.AnyField, once) }
	}
	if a.tangent {
		once := f
		f = func() error { return run.Session.Runtime.Tangent(once) }
	}
	switch err := f(); {
	case errors.Is(err, script.ErrLaunch):
		return nil
	case err != nil && a.loss != "":
		return fmt.Errorf("-tape %s: %w", a.loss, err)
	default:
		return err
	}
}

// gradcheck compares the gradient that a tape gives with difference quotients, and says that it is right.
func (c *runCmd) gradcheck(run *script.Runner, a action, loss *script.Field) error {
	var fields []ti.AnyField
	var names []string
	for _, name := range c.Derivatives.Grad {
		if name != a.loss {
			fields, names = append(fields, run.Session.Fields[name].AnyField), append(names, name)
		}
	}
	if len(fields) == 0 {
		return errors.New("-gradcheck: -grad names no field but the loss")
	}
	quiet := &script.Runner{Ctx: context.WithoutCancel(run.Ctx), Session: run.Session, Notes: run.Notes, Launched: run.Launched}
	err := gradcheck.Check(run.Session.Runtime, loss.AnyField, func() error {
		var failed error
		quiet.Report = func(r script.Report, _ bool) {
			if r.Error != "" && failed == nil {
				failed = errors.New(r.Call + ": " + r.Error)
			}
		}
		return errors.Join(quiet.Run(a.script, false), failed)
	}, fields...)
	if err != nil {
		return err
	}
	fmt.Fprintf(run.Notes, "gradcheck: the gradient of %s by %s is right\n", a.loss, strings.Join(names, ", "))
	return nil
}
