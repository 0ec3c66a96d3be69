package driver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// Stages returns the names that Dump knows, in the order of compilation.
func Stages(c target.Compiler) []string {
	return slices.Concat([]string{"lower"}, pass.Stages(), []string{"ir"}, c.Stages())
}

// Dump returns a kernel as it stands after a stage.
func Dump(p *typed.Program, name string, lay Layout, o Options, stage string) (text string, err error) {
	defer guard(name, &err)
	if stage == TimeStage {
		return timed(p, name, lay, o)
	}
	u, err := Prepare(p, name, lay, o)
	if err != nil {
		return "", err
	}
	return u.Dump(stage)
}

// Dump returns the kernel as it stands after a stage.
func (u *Unit) Dump(stage string) (text string, err error) {
	defer guard(u.k.Name, &err)
	b, all := u.begin(), Stages(u.o.Compiler)
	switch {
	case stage == "ir" || slices.Contains(u.o.Compiler.Stages(), stage):
		t, err := b.translate()
		if err != nil {
			return "", err
		}
		if stage == "ir" {
			return b.k.String(), nil
		}
		text, err = t.Text(stage)
		return text, b.stackTooLarge(err)
	case !slices.Contains(all, stage):
		return "", fmt.Errorf("there is no stage %q; the stages are %s", stage, strings.Join(all, ", "))
	case stage == pass.StrategyStage:
		return pass.Strategy(b.k, b.passOptions(nil, ""))
	}
	if stage != "lower" {
		if err := b.passes(nil, stage); err != nil {
			return "", err
		}
	}
	return b.k.String(), nil
}

// start begins a build.
func start(p *typed.Program, name string, lay Layout, o Options) (*build, error) {
	u, err := Prepare(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	return u.begin(), nil
}

// A Stage is a kernel's text after one stage of compilation.
type Stage struct{ Name, Text string }

// Trace returns the text of every stage that changes the kernel, the machine code
// last.
func Trace(p *typed.Program, name string, lay Layout, o Options) (stages []Stage, err error) {
	defer guard(name, &err)
	u, err := start(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	note := func(stage, text string) { stages = append(stages, Stage{stage, text}) }
	if err := u.passes(note, ""); err != nil {
		return stages, err
	}
	for _, s := range append([]string{"ir"}, o.Compiler.Stages()...) {
		if s == "object" { // nothing to read
			continue
		}
		text, err := Dump(p, name, lay, o, s)
		if errors.Is(err, target.ErrNoLibrary) {
			break
		} else if err != nil {
			return stages, err
		}
		if s != "ir" || len(stages) == 0 || text != stages[len(stages)-1].Text {
			note(s, text)
		}
	}
	return stages, nil
}
