package start

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/modtest"
	"github.com/gotaichi/ti/internal/randtest"
)

// The commands of the document make a program that is one static file, and runs where there is
// nothing else.
func TestEmptyRoot(t *testing.T) {
	llvmtest.Code(t)
	m := module(t)
	m.Shell("go mod tidy -e") // it keeps the dependencies of the tool; an error is about tests of other modules, which the proxy lacks
	if !randtest.All() {      // as from the proxy, the compiler would be compiled once more
		m.UseCheckout()
	}
	text := read(t, "../start.md")
	_, block, _ := strings.Cut(text, "\n    go generate\n")
	block, _, _ = strings.Cut(block, "\n\n")
	lines := strings.Split("go generate\n"+strings.ReplaceAll(block, "\n    ", "\n"), "\n")
	want := strings.TrimSpace(lines[len(lines)-1])
	for _, line := range lines[:len(lines)-2] {
		m.Shell(line)
	}
	program := filepath.Join(m.Dir, "heat")
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program is linked dynamically: it has a segment %v", p.Type)
		}
	}
	if info, err := os.Stat(program); err != nil || info.Size() > 13<<20 {
		t.Errorf("the program has %d bytes, error %v", info.Size(), err)
	}

	// Fields that the kernels were not compiled for are named, with their types.
	m.Put("testdata/other.go", "other/main.go")
	const says = "(T is f32 of shape [4 4], T.grad is f32 of shape [4 4], Next is f32 of shape [4 4])"
	if out := m.Shell("go run -tags ti_ahead ./other"); !strings.Contains(out, says) {
		t.Errorf("with a gradient that the code does not know it prints %q, which should have %q", out, says)
	}

	inPage(t, m, text, want)

	root := t.TempDir()
	if err := os.Rename(program, filepath.Join(root, "heat")); err != nil {
		t.Fatal(err)
	}
	if out, err := inRoot(root, "/heat"); err != nil || strings.TrimSpace(out) != want {
		t.Errorf("in an empty root it prints %q, error %v; the document says %q", out, err, want)
	}
}

// inPage makes a page without the compiler, by the commands of the document, and runs its program as a browser does, where there is Node.
func inPage(t *testing.T, m *modtest.Module, text, want string) {
	t.Helper()
	_, block, _ := strings.Cut(text, "In a page modules")
	_, block, _ = strings.Cut(block, "\n\n    ")
	block, _, _ = strings.Cut(block, "\n\n")
	for line := range strings.SplitSeq(block, "\n") {
		m.Shell(strings.TrimSpace(line))
	}
	if info, err := os.Stat(filepath.Join(m.Dir, "page", "program.wasm")); err != nil || info.Size() > 12<<20 {
		t.Errorf("the program of the page has %d bytes, error %v", info.Size(), err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Log("without node the program of the page does not run")
		return
	}
	if out := m.Shell(`node --stack-size=900 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" page/program.wasm`); strings.TrimSpace(out) != want {
		t.Errorf("in a page it prints %q; the document says %q", out, want)
	}
}

// TestBind: the document shows what the command writes.
func TestBind(t *testing.T) {
	m := module(t)
	m.UseCheckout()
	text := read(t, "../start.md")
	_, shown, _ := strings.Cut(text, "$ ti bind heat.ti -type Plate\n")
	shown, _, _ = strings.Cut(shown, "```")
	if got := m.Shell("go tool ti bind heat.ti -type Plate"); got != shown {
		t.Errorf("the command writes\n%s\nthe document has\n%s", got, shown)
	}
}

// module makes the module of the document, by its commands: the package and the command come from a proxy.
func module(t *testing.T) *modtest.Module {
	t.Helper()
	m := modtest.New(t, "example.com/heat", map[string]string{"testdata/main.go": "main.go", "../your-project/heat.ti": "heat.ti"})
	_, block, _ := strings.Cut(read(t, "../start.md"), "\n    go get -tool ")
	line, _, _ := strings.Cut(block, "\n")
	m.Shell("go get -tool " + line)
	return m
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// inRoot runs a program that sees nothing but the files below root: as root directly, as
// another user in a user namespace.
func inRoot(root, program string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = "/", []string{}, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	err := cmd.Run()
	return out.String(), err
}
