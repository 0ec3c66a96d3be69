package driver

import (
	"fmt"
	"slices"
	"strings"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/typed"
)

// Stages returns the names that Dump knows, in the order of compilation.
func Stages() []string {
	return slices.Concat([]string{"lower"}, pass.Stages(), []string{"ir", "llvm", "opt", "asm", "object"})
}

// Dump returns a kernel as it stands after a stage.
func Dump(p *typed.Program, name string, lay Layout, o Options, stage string) (text string, err error) {
	defer guard(name, &err)
	switch {
	case stage == "ir":
		u, err := start(p, name, lay, o)
		if err != nil {
			return "", err
		}
		_, err = u.modules()
		return u.k.String(), err
	case stage == "llvm" || stage == "opt" || stage == "asm" || stage == "object":
		return dumpCode(p, name, lay, o, stage)
	case !slices.Contains(Stages(), stage):
		return "", fmt.Errorf("there is no stage %q; the stages are %s", stage, strings.Join(Stages(), ", "))
	}
	u, err := start(p, name, lay, o)
	if err != nil {
		return "", err
	}
	if stage != "lower" {
		if err := u.passes(nil, stage); err != nil {
			return "", err
		}
	}
	return u.k.String(), nil
}

func dumpCode(p *typed.Program, name string, lay Layout, o Options, stage string) (string, error) {
	u, err := start(p, name, lay, o)
	if err != nil {
		return "", err
	}
	modules, err := u.modules()
	if err != nil {
		return "", err
	}
	if stage != "llvm" && o.Lib == nil {
		return "", fmt.Errorf("stage %s needs LLVM", stage)
	}
	var texts []string
	pipeline := o.pipeline()
	switch stage {
	case "llvm":
		texts = u.texts(modules)
	case "opt":
		texts, err = each(o.Slots, modules, func(m []llvm.Source) (string, error) { return o.Lib.Optimize(pipeline, m...) })
	case "asm":
		texts, err = each(o.Slots, modules, func(m []llvm.Source) (string, error) { return o.Lib.Assembly(pipeline, m...) })
	case "object":
		objects, err := u.objects(modules)
		return archive(objects), err
	}
	return u.readable(strings.Join(texts, "\n")), err
}

// texts returns the text of each task, under a line that says which it is.
func (u *build) texts(modules [][]llvm.Source) (texts []string) {
	for _, m := range modules {
		for _, s := range m {
			i := slices.IndexFunc(u.k.Tasks, func(t *ir.Task) bool { return codegen.TaskName(t) == s.Name })
			texts = append(texts, fmt.Sprintf("; %s of kernel %s: %s\n%s", s.Name, u.k.Name, u.k.Tasks[i].Name, s.Named()))
		}
	}
	return texts
}

// readable puts the names of functions in the source in the place of their numbers.
func (u *build) readable(text string) string {
	var pairs []string
	for _, t := range u.k.Tasks {
		names := codegen.Functions(t)
		for i := len(names) - 1; i >= 0; i-- { // 10 before 1
			pairs = append(pairs, fmt.Sprintf("%s.fn.%d", codegen.TaskName(t), i), "fn."+names[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// start begins a build.
func start(p *typed.Program, name string, lay Layout, o Options) (*build, error) {
	u, err := Prepare(p, name, lay, o)
	if err != nil {
		return nil, err
	}
	return u.begin(), nil
}

// archive is the object file, or, of several, an archive as ar makes them, which
// objdump and its kind read too.
func archive(objects [][]byte) string {
	switch len(objects) {
	case 0:
		return ""
	case 1:
		return string(objects[0])
	}
	var w strings.Builder
	w.WriteString("!<arch>\n")
	for i, object := range objects {
		fmt.Fprintf(&w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", fmt.Sprintf("%d.o/", i), 0, 0, 0, 0o644, len(object))
		w.Write(object)
		if len(object)%2 == 1 {
			w.WriteByte('\n')
		}
	}
	return w.String()
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
