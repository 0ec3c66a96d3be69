package main

import (
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
	script  []*statement
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
func (c *runCmd) planTapes(s *session, list []action) error {
	for _, a := range list {
		if a.loss == "" {
			continue
		}
		if _, err := s.field(a.loss); err != nil {
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
func (c *runCmd) derive(run *scriptRun, a action) error {
	launches := func() error { return run.run(a.script, false) }
	f := launches
	if a.loss != "" || a.tangent {
		f = func() error { // a failed launch is reported, and ends what it is part of
			failed := false
			report := run.report
			run.report = func(r callReport, inLoop bool) {
				failed = failed || r.Error != ""
				report(r, inLoop)
			}
			defer func() { run.report = report }()
			if err := launches(); err != nil || !failed {
				return err
			}
			return errLaunch
		}
	}
	if a.loss != "" {
		loss, once := run.s.fields[a.loss], f
		if c.Derivatives.Check {
			if err := c.gradcheck(run, a, loss); err != nil {
				return fmt.Errorf("-tape %s: %w", a.loss, err)
			}
		}
		f = func() error { return run.s.rt.Tape(loss.AnyField, once) }
	}
	if a.tangent {
		once := f
		f = func() error { return run.s.rt.Tangent(once) }
	}
	switch err := f(); {
	case errors.Is(err, errLaunch):
		return nil
	case err != nil && a.loss != "":
		return fmt.Errorf("-tape %s: %w", a.loss, err)
	default:
		return err
	}
}

// gradcheck compares the gradient that a tape gives with difference quotients, and says that it is right.
func (c *runCmd) gradcheck(run *scriptRun, a action, loss *boundField) error {
	var fields []ti.AnyField
	var names []string
	for _, name := range c.Derivatives.Grad {
		if name != a.loss {
			fields, names = append(fields, run.s.fields[name].AnyField), append(names, name)
		}
	}
	if len(fields) == 0 {
		return errors.New("-gradcheck: -grad names no field but the loss")
	}
	quiet := &scriptRun{ctx: context.WithoutCancel(run.ctx), s: run.s, notes: run.notes, launched: run.launched}
	err := gradcheck.Check(run.s.rt, loss.AnyField, func() error {
		var failed error
		quiet.report = func(r callReport, _ bool) {
			if r.Error != "" && failed == nil {
				failed = errors.New(r.Call + ": " + r.Error)
			}
		}
		return errors.Join(quiet.run(a.script, false), failed)
	}, fields...)
	if err != nil {
		return err
	}
	fmt.Fprintf(run.notes, "gradcheck: the gradient of %s by %s is right\n", a.loss, strings.Join(names, ", "))
	return nil
}
