package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/modtest"
	"github.com/gotaichi/ti/internal/randtest"
)

// The commands of the document make a module of the files here, and a program that runs
// where there is nothing but that program and the packages that the document names.
func TestEmptyRoot(t *testing.T) {
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		t.Skip("the packages of an empty root are Debian's, and this system has no dpkg")
	}
	program := build(t)
	packages := needed(t, llvmPackage(t))
	root := t.TempDir()
	for _, dir := range []string{"lib", "lib64", "bin", "sbin"} {
		if err := os.MkdirAll(filepath.Join(root, "usr", dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("usr/"+dir, filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range packages {
		unpack(t, root, p)
	}
	put(t, program, filepath.Join(root, "heat"))

	out, err := inRoot(root, "/heat")
	if err != nil {
		t.Fatalf("with %s in an empty root: %v\n%s", strings.Join(packages, " "), err, out)
	}
	if !strings.Contains(document(t), "    go run .\n    "+out) {
		t.Errorf("the program prints %q, and the document does not say so", out)
	}

	// Without the packages of libLLVM it does the same as WebAssembly, after a line that the document shows.
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "libLLVM") {
			err = os.Remove(path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	both, err := inRoot(root, "/heat")
	says, result, _ := strings.Cut(both, "\n")
	if err != nil || result != out || !strings.HasPrefix(says, "ti: ") || !strings.Contains(document(t), "    "+says+"\n") {
		t.Errorf("without libLLVM: %v, output %q, which the document does not show, or the result is not %q", err, both, out)
	}
}

// build follows the document up to a program, and returns its path.
func build(t *testing.T) string {
	t.Helper()
	m := module(t)
	m.Shell("go vet .")
	m.Shell("go build -o heat .")
	return filepath.Join(m.Dir, "heat")
}

// module makes the module of the document.
func module(t *testing.T) *modtest.Module {
	t.Helper()
	m := modtest.New(t, "example.com/heat", map[string]string{"main.go": "main.go", "main_test.go": "main_test.go", "heat.ti": "heat.ti"})
	m.Shell("go get github.com/gotaichi/ti")
	m.UseCheckout()
	return m
}

// The commands of the document make a library that Python calls. All that the library is made of is compiled anew for it, since
// it needs cgo.
func TestLibrary(t *testing.T) {
	_, shown, _ := strings.Cut(document(t), "```python\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	if script, err := os.ReadFile("testdata/heat.py"); err != nil || shown == "" || !strings.HasSuffix(string(script), shown) {
		t.Errorf("testdata/heat.py does not end in what the document shows, error %v", err)
	}
	if !randtest.All() {
		t.Skip("building it takes a minute")
	}
	for _, tool := range []string{"cc", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	m := module(t)
	m.Put("testdata/library.go", "library.go")
	m.Put("testdata/heat.py", "heat.py")
	_, block, _ := strings.Cut(document(t), "\n    CGO_ENABLED=1 ")
	block, _, _ = strings.Cut(block, "\n\n")
	lines := strings.Split("CGO_ENABLED=1 "+strings.ReplaceAll(block, "\n    ", "\n"), "\n")
	m.Shell(lines[0])
	want := strings.Join(lines[2:], "\n") + "\n"
	if out := m.Shell(lines[1]); out != want {
		t.Errorf("%s prints\n%s\nthe document has\n%s", lines[1], out, want)
	}
}

// llvmPackage is the package of the libLLVM that programs find here.
func llvmPackage(t *testing.T) string {
	t.Helper()
	lib := llvmtest.Library(t)
	out, err := exec.Command("dpkg-query", "-S", lib.Path()).Output()
	if err != nil {
		t.Skipf("%s belongs to no package", lib.Path())
	}
	name, _, _ := strings.Cut(string(out), ":")
	if !regexp.MustCompile(`^libllvm\d+$`).MatchString(name) {
		t.Fatalf("%s is of package %s, which the document does not name", lib.Path(), name)
	}
	return name
}

// native is the name of a package of this machine's own architecture. Where packages of another are installed as well, as
// to run programs of it under an emulator, the name alone is not enough for dpkg, or means every one of them. Packages for
// all architectures have no such name; they hold no libraries.
func native(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("dpkg", "--print-architecture").Output()
	if err != nil {
		t.Fatalf("dpkg --print-architecture: %v", err)
	}
	return name + ":" + strings.TrimSpace(string(out))
}

// needed returns a package and all those that it depends on.
func needed(t *testing.T, name string) []string {
	t.Helper()
	all := []string{name}
	for i := 0; i < len(all); i++ {
		out, err := exec.Command("dpkg-query", "-W", "-f=${Depends}, ${Pre-Depends}", native(t, all[i])).Output()
		if err != nil {
			t.Fatalf("package %s: %v", all[i], err)
		}
		for _, d := range strings.Split(string(out), ",") {
			d, _, _ = strings.Cut(strings.TrimSpace(d), " ")
			d, _, _ = strings.Cut(d, ":")
			if d != "" && !slices.Contains(all, d) && exec.Command("dpkg-query", "-W", native(t, d)).Run() == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// unpack puts the shared libraries of an installed package into root.
func unpack(t *testing.T, root, name string) {
	t.Helper()
	out, err := exec.Command("dpkg-query", "-L", native(t, name)).Output()
	if err != nil {
		t.Fatalf("package %s: %v", name, err)
	}
	for _, path := range strings.Fields(string(out)) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && strings.Contains(filepath.Base(path), ".so") {
			put(t, path, filepath.Join(root, path))
		}
	}
}

// put links or copies a file; a symbolic link stays one.
func put(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(from); err == nil {
		if err := os.Symlink(target, to); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		return
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
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

// document is the text whose commands this test follows.
func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../your-project.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
