package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/pass"
)

// Stages returns the names that Dump knows, in the order of compilation.
func Stages() []string {
	return slices.Concat([]string{"lower"}, pass.Stages(), []string{"ir", "llvm", "opt", "asm", "object"})
}

// Dump returns a kernel as it stands after a stage.
func Dump(p *check.Program, name string, lay Layout, o Options, stage string) (text string, err error) {
	defer guard(name, &err)
	switch {
	case stage == "ir":
		k, _, err := Text(p, name, lay, o)
		if err != nil {
			return "", err
		}
		return k.String(), nil
	case stage == "llvm" || stage == "opt" || stage == "asm" || stage == "object":
		return dumpCode(p, name, lay, o, stage)
	case !slices.Contains(Stages(), stage):
		return "", fmt.Errorf("there is no stage %q; the stages are %s", stage, strings.Join(Stages(), ", "))
	}
	k, err := Lower(p, name, o)
	if err != nil {
		return "", err
	}
	if stage != "lower" {
		if err := passes(k, lay, o, nil, stage); err != nil {
			return "", err
		}
	}
	return k.String(), nil
}

func dumpCode(p *check.Program, name string, lay Layout, o Options, stage string) (string, error) {
	_, text, err := Text(p, name, lay, o)
	if err != nil || stage == "llvm" {
		return text, err
	}
	if o.Lib == nil {
		return "", fmt.Errorf("stage %s needs LLVM", stage)
	}
	switch stage {
	case "opt":
		return o.Lib.Optimize(codegen.Pipeline(o.Level), text)
	case "object":
		object, err := o.Lib.Compile(codegen.Pipeline(o.Level), text)
		return string(object), err
	}
	return o.Lib.Assembly(codegen.Pipeline(o.Level), text)
}

// A Stage is a kernel's text after one stage of compilation.
type Stage struct{ Name, Text string }

// Trace returns the text of every stage that changes the kernel, the machine code
// last.
func Trace(p *check.Program, name string, lay Layout, o Options) (stages []Stage, err error) {
	defer guard(name, &err)
	k, err := Lower(p, name, o)
	if err != nil {
		return nil, err
	}
	note := func(stage, text string) { stages = append(stages, Stage{stage, text}) }
	if err := passes(k, lay, o, note, ""); err != nil {
		return stages, err
	}
	for _, s := range []string{"ir", "llvm", "opt", "asm"} {
		if o.Lib == nil && (s == "opt" || s == "asm") {
			break
		}
		text, err := Dump(p, name, lay, o, s)
		if err != nil {
			return stages, err
		}
		if s != "ir" || len(stages) == 0 || text != stages[len(stages)-1].Text {
			note(s, text)
		}
	}
	return stages, nil
}
