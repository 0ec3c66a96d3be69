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
)

// The commands of the document make a program that is one static file, and runs where there is
// nothing else.
func TestEmptyRoot(t *testing.T) {
	dir := module(t)
	text := read(t, "../start.md")
	_, block, _ := strings.Cut(text, "\n    go generate\n")
	block, _, _ = strings.Cut(block, "\n\n")
	lines := strings.Split("go generate\n"+strings.ReplaceAll(block, "\n    ", "\n"), "\n")
	want := strings.TrimSpace(lines[len(lines)-1])
	for _, line := range lines[:len(lines)-2] {
		shell(t, dir, line)
	}
	program := filepath.Join(dir, "heat")
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

	root := t.TempDir()
	if err := os.Rename(program, filepath.Join(root, "heat")); err != nil {
		t.Fatal(err)
	}
	if out, err := inRoot(root, "/heat"); err != nil || strings.TrimSpace(out) != want {
		t.Errorf("in an empty root it prints %q, error %v; the document says %q", out, err, want)
	}
}

// TestBind: the document shows what the command writes.
func TestBind(t *testing.T) {
	dir := module(t)
	text := read(t, "../start.md")
	_, shown, _ := strings.Cut(text, "$ ti bind heat.ti -type Plate\n")
	shown, _, _ = strings.Cut(shown, "```")
	if got := shell(t, dir, "go run github.com/gotaichi/ti/cmd/ti bind heat.ti -type Plate"); got != shown {
		t.Errorf("the command writes\n%s\nthe document has\n%s", got, shown)
	}
}

// module makes the module of the document.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"testdata/main.go": "main.go", "../your-project/heat.ti": "heat.ti", "../../go.sum": "go.sum"} {
		if err := os.WriteFile(filepath.Join(dir, to), []byte(read(t, from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, dir, "go mod init example.com/heat")
	shell(t, dir, "go mod edit -require=github.com/gotaichi/ti@v0.0.0 -replace=github.com/gotaichi/ti="+top)
	return dir
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shell runs a command line, and returns what it prints on standard output.
func shell(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", line, err, &out, &said)
	}
	return out.String()
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
