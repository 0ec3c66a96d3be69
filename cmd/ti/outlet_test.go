package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
)

// A fullDisk takes room bytes more.
type fullDisk struct{ room int }

var errFullDisk = errors.New("no space left on device")

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(d.room, len(p))
	if d.room -= n; n < len(p) {
		return n, errFullDisk
	}
	return n, nil
}

// printing has a command line, or several, for each command, that prints something.
// The files are those of printingFiles.
var printing = map[string][]string{
	"check": nil, // what it prints goes to standard error
	"vet":   nil, // as that of check
	"fmt":   {"fmt", "fmt -l ugly.ti", "fmt -d ugly.ti"},
	"doc":   {"doc k.ti", "doc -all k.ti", "doc k.ti Num"},
	"run": {"run k.ti -call Num()", "run k.ti -call Talk(3)", "run k.ti -print X", "run k.ti -print X -json", "run k.ti -describe",
		"run k.ti -without list", "run k.ti -arch oracle -call Talk(3)"},
	"ir":            {"ir k.ti", "ir k.ti -explain Num", "ir k.ti -stage list", "ir k.ti -without list"},
	"bind":          {"bind k.ti"},
	"build":         nil, // what it prints goes to standard error
	"page":          {"page ./examples/hello"},
	"site":          {"site out"},
	"serve":         nil, // it does not end
	"tokens":        {"tokens k.ti"},
	"explain":       {"explain", "explain TI0201"},
	"cache show":    {"cache", "cache show"},
	"cache verify":  {"cache verify"},
	"cache clean":   {"cache clean"},
	"doctor":        {"doctor"},
	"setup":         {"setup"},
	"examples list": {"examples", "examples list"},
	"examples run":  {"examples run hello"},
	"version":       {"version"},
	"demo":          {"demo"},
	"test":          {"test -quick"},
}

// printingFiles are a small checkout.
var printingFiles = map[string]string{
	"go.mod":                   "module github.com/gotaichi/ti\n\ngo 1.26\n",
	"cmd/ti/main.go":           "package main\n\nfunc main() {}\n",
	"internal/runtest/doc.go":  "package runtest\n",
	"examples/hello/main.go":   "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(`{\"Example\": \"hello\"}`) }\n",
	"examples/hello/README.md": "# hello\n\nSays hello.\n",
	"examples/hello/h.ti":      "package h\n",
	"examples/hello/h.scene":   "show X\n",
	"playground/main.go":       "package main\n\nfunc main() {}\n",
	"playground/static/a.html": "",
	"gui/page/b.html":          "",
	"ugly.ti":                  "package p\nvar   X field[f32, D1]\n",
	"k.ti": `package k

var X field[f32, D1]

func Num() f32 { return X[0] }

func Talk(n int) {
	for i := range n {
		print(i)
	}
}
`,
}

// TestFullDisk runs every command with a standard output that has no room, or room for
// a part. Each fails and says so; none prints on.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	for name, text := range printingFiles {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("TI_CACHE_DIR", filepath.Join(dir, "cache"))
	commands := commandNames(t)
	for _, name := range commands {
		lines, ok := printing[name]
		if !ok {
			t.Errorf("no line of the table printing says what ti %s prints", name)
		}
		for _, line := range append(slices.Clone(lines), name+" --help") {
			if testing.Short() && (strings.HasPrefix(line, "demo") || strings.HasPrefix(line, "test") || line == "examples run hello") {
				continue // they build programs
			}
			t.Run(line, func(t *testing.T) {
				if line == "setup" {
					llvmtest.Needs(t) // else it fetches one
				}
				withFullDisk(t, strings.Fields(line))
			})
		}
	}
	for name := range printing {
		if !slices.Contains(commands, name) {
			t.Errorf("the table printing has %s, which is no command", name)
		}
	}
	t.Run("help", func(t *testing.T) { withFullDisk(t, []string{"--help"}) })
}

// withFullDisk runs a command line without room, and with room for a few bytes.
func withFullDisk(t *testing.T, args []string) {
	if args[0] == "run" || args[0] == "ir" {
		args = append(args, "-bind", "X=3")
	}
	for _, room := range []int{0, 3} {
		disk, said := &fullDisk{room}, &bytes.Buffer{}
		status := run(args, &stdio{in: strings.NewReader("package p\n"), out: disk, err: said})
		text := said.String()
		if status != 1 || !strings.Contains(text, "no space left on device") || disk.room != 0 {
			t.Errorf("with room for %d bytes: status %d, %d bytes left, said: %s", room, status, disk.room, text)
		}
		if n := strings.Count(text, "standard output is not complete"); n != 1 && !strings.Contains(text, "Talk") {
			t.Errorf("with room for %d bytes: said %d times: %s", room, n, text)
		}
	}
}

// commandNames lists all commands, as "examples run".
func commandNames(t *testing.T) (names []string) {
	parser, err := kong.New(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(true) {
		names = append(names, leaf.Path())
	}
	return names
}

// A command that prints all there is succeeds, and what comes behind a gap is not
// written.
func TestOutlet(t *testing.T) {
	var all bytes.Buffer
	if status := run([]string{"explain", "TI0201"}, &stdio{in: strings.NewReader(""), out: &all, err: &all}); status != 0 || !strings.HasPrefix(all.String(), "TI0201: ") {
		t.Errorf("status %d, %s", status, all.String())
	}
	disk := &fullDisk{room: 4}
	o := &outlet{w: disk}
	if _, err := o.Write([]byte("12345")); !errors.Is(err, errFullDisk) {
		t.Error(err)
	}
	disk.room = 100
	if n, err := o.Write([]byte("6")); n != 0 || !errors.Is(err, errFullDisk) || disk.room != 100 {
		t.Errorf("a write after a gap: %d, %v, room %d", n, err, disk.room)
	}
}
