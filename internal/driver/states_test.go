package driver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ahead"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/option"
)

// TestStatesOfPackedFields: what tasks do to components that share words, in golden text, and that descriptors say
// the same.
func TestStatesOfPackedFields(t *testing.T) {
	p, lay := packedProgram(t)
	lib := llvmtest.Library(t)
	levels, err := ahead.ParseLevels("x86-64-v4") // whatever the machine is: nothing runs
	if err != nil {
		t.Fatal(err)
	}
	o := driver.Options{Options: option.Options{Level: 3, Verify: true, Threads: 2}, Compiler: codegen.NewFor(lib, levels[0])}
	var text strings.Builder
	for _, k := range p.Kernels {
		ir, err := driver.Dump(&p.Program, k.Name, lay, o, "ir")
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(k.Name + "\n")
		named := 0
		for line := range strings.Lines(ir) {
			line = strings.TrimSpace(line)
			if name, is := strings.CutPrefix(line, "task "); is {
				name, _, _ = strings.Cut(name, " @")
				text.WriteString("\ttask " + strings.TrimSuffix(name, " {") + "\n")
			} else if strings.HasPrefix(line, "touches ") {
				text.WriteString("\t\t" + line + "\n")
				named++
			}
		}
		u, err := driver.Prepare(&p.Program, k.Name, lay, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := u.Describe()
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range d.Tasks {
			named -= len(task.States)
			if slices.ContainsFunc(task.States, func(s launch.State) bool { return d.Fields[s.Field].Memory }) {
				t.Errorf("%s: a task says what it does to words, not to what is in them: %+v", k.Name, task.States)
			}
		}
		if named != 0 {
			t.Errorf("%s: the descriptor has other states than the text:\n%s", k.Name, ir)
		}
	}
	compareGolden(t, "testdata/packedstates.txt", text.String())
}
