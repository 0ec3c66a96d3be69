package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/randtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ti": main})
}

// TestScripts runs the command as a user does. What a script does with libLLVM itself is left out, under the condition llvm, where kernels run on another target.
func TestScripts(t *testing.T) {
	byLLVM := llvmtest.Compiles(t)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"gen": generate, "checkhtml": checkHTML},
		Condition: func(name string) (bool, error) {
			switch name {
			case "llvm":
				return byLLVM, nil
			case "arm64code":
				return makesARM64(), nil
			case "vulkan":
				return vulkanDevice() >= 0, nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("TI_LIBLLVM", cmp.Or(os.Getenv("TI_LIBLLVM"), fetched()))
			env.Setenv("TI_INSTEAD", os.Getenv("TI_INSTEAD"))
			env.Setenv("TI_ARCH", cmp.Or(os.Getenv("TI_ARCH"), os.Getenv("TI_INSTEAD"))) // so that no script fetches a libLLVM
			env.Setenv("DEVICE", strconv.Itoa(vulkanDevice()))
			dir, err := os.UserCacheDir() // packages that a script builds are compiled once
			env.Setenv("GOCACHE", cmp.Or(os.Getenv("GOCACHE"), filepath.Join(dir, "go-build")))
			return err
		},
	})
}

// fetched is the libLLVM that ti setup has fetched, if that is this machine's: scripts have no home, and would not find it.
func fetched() string {
	lib, err := llvm.Default()
	if err != nil || llvm.FetchedDir() == "" || !strings.HasPrefix(lib.Path(), llvm.FetchedDir()) {
		return ""
	}
	return lib.Path()
}

// makesARM64 reports whether this machine's libLLVM makes code for arm64. That of ti setup does not.
func makesARM64() bool {
	lib, err := llvm.Default()
	return err == nil && lib.Makes("arm64")
}

// vulkanDevice is the number of the first device with a Vulkan driver; -1 if there is none.
func vulkanDevice() int {
	for _, d := range ti.Devices() {
		if d.Arch == ti.Vulkan {
			return d.Index
		}
	}
	return -1
}

// generate is the script command "gen KIND FILE", for input too large to be in a
// script.
func generate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: gen KIND FILE")
	}
	write, ok := generators[args[0]]
	if !ok {
		ts.Fatalf("there is no generator %s", args[0])
	}
	var b bytes.Buffer
	ts.Check(cmp.Or(write(&b), os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o666)))
}

// checkHTML is the script command "checkhtml FILE": every element is closed in its
// turn, and no < or & of the kernel's text is taken for markup.
func checkHTML(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkhtml FILE")
	}
	text := ts.ReadFile(args[0])
	var open []string
	for _, m := range regexp.MustCompile(`(?s)<!DOCTYPE html>|<(script|style)>.*?</(script|style)>|<(/?)([a-z0-9]+)[^<>]*>|[<>]`).FindAllStringSubmatch(text, -1) {
		end, name := m[3] != "", m[4]
		switch {
		case m[1] != "" || name == "meta" || strings.HasPrefix(m[0], "<!"):
		case name == "" && m[0] == "<":
			ts.Fatalf("%s: a stray %s", args[0], m[0])
		case name == "":
		case !end:
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			ts.Fatalf("%s: </%s> inside %v", args[0], name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		ts.Fatalf("%s: not closed: %v", args[0], open)
	}
}

// large is how many bytes a large source has: a megabyte, and five where everything is asked for.
func large() int {
	if randtest.All() {
		return 5 << 20
	}
	return 1 << 20
}

// npyFile returns a generator of a file with the given header and so many bytes.
func npyFile(descr string, columns bool, shape string, n int) func(*bytes.Buffer) error {
	order := "False"
	if columns {
		order = "True"
	}
	return func(b *bytes.Buffer) error {
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, order, shape)
		b.WriteString("\x93NUMPY" + "\x01\x00" + string(rune(len(header))) + "\x00" + header)
		b.Write(make([]byte, n))
		return nil
	}
}

var generators = map[string]func(b *bytes.Buffer) error{
	"triangle": triangle,
	"garbage": func(b *bytes.Buffer) error {
		_, err := io.CopyN(b, rand.NewChaCha8([32]byte{1}), 100_000)
		return err
	},
	"parentheses": func(b *bytes.Buffer) error {
		const n = 100_000
		b.WriteString("package p\n\nfunc F() f32 { return " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + " }\n")
		return nil
	},
	"comment": func(b *bytes.Buffer) error {
		b.WriteString("package p\n\n/*" + strings.Repeat("x", large()) + "*/\nfunc F() f32 { return 1 }\n")
		return nil
	},
	"functions": func(b *bytes.Buffer) error {
		b.WriteString("package p\n\nvar X field[f32]\n\n")
		for i := 0; b.Len() < large(); i++ {
			fmt.Fprintf(b, "func fun%d(a f32) f32 {\n\tb := a * %d\n\treturn b + X[%d]\n}\n\n", i, i, i)
		}
		b.WriteString("func F() f32 { return fun3(1) }\n")
		return nil
	},
	"mistakes": func(b *bytes.Buffer) error {
		b.WriteString("package p\n\n")
		for i := 0; b.Len() < large(); i++ {
			fmt.Fprintf(b, "func fun%d(a f32) f32 { return wrong%d }\n", i, i)
		}
		return nil
	},
	"npy-short": npyFile("<f4", false, "100,", 4),
	"npy-huge":  npyFile("<f4", false, "1000000, 1000000, 1000000", 4),
	"npy-large": npyFile("<f4", false, "1048576, 1048576", 4),
	"png-huge": func(b *bytes.Buffer) error {
		_, err := b.Write(randtest.HugePNG())
		return err
	},
	"npy-columns":    npyFile("<f4", true, "2, 2", 16),
	"npy-big-endian": npyFile(">f4", false, "2,", 8),
	// The beginning of a libLLVM.
	"cut": func(b *bytes.Buffer) error {
		lib, err := llvm.Default()
		if err != nil {
			return err
		}
		f, err := os.Open(lib.Path())
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.CopyN(b, f, 1<<20)
		return err
	},
}

// triangle writes the first source of docs/gradients.md. It fails unless the script that asks for it has the command that the
// document shows for this source.
func triangle(b *bytes.Buffer) error {
	text, err := os.ReadFile("../../docs/gradients.md")
	if err != nil {
		return err
	}
	script, err := os.ReadFile("testdata/script/run_gradcheck.txtar")
	if err != nil {
		return err
	}
	_, source, _ := strings.Cut(string(text), "const source = `\n")
	source, _, _ = strings.Cut(source, "`\n")
	_, command, _ := strings.Cut(string(text), "\n    ti run triangle.ti")
	command, _, _ = strings.Cut(command, "\n\n")
	command = strings.Join(strings.Fields(strings.ReplaceAll(command, "\\\n", " ")), " ")
	if !strings.Contains(string(script), "\nexec ti run triangle.ti "+command+"\n") {
		return fmt.Errorf("the command of docs/gradients.md is another one: ti run triangle.ti %s", command)
	}
	b.WriteString(source)
	return nil
}
