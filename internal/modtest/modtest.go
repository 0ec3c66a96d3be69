package modtest

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the proxy has.
const (
	path    = "github.com/gotaichi/ti"
	Version = "v0.1.0"
)

// A Module is a module in a folder of its own.
type Module struct {
	Dir string

	t     *testing.T
	top   string   // the checkout
	cache string   // the module cache of this checkout
	env   []string // of commands
}

// New makes a module by go mod init; files are copied into it, from paths to names.
func New(t *testing.T, name string, files map[string]string) *Module {
	t.Helper()
	m := &Module{Dir: t.TempDir(), t: t}
	m.top = filepath.Dir(strings.TrimSpace(m.command("go env GOMOD", ".")))
	m.cache = strings.TrimSpace(m.command("go env GOMODCACHE", "."))
	m.env = []string{"CGO_ENABLED=0", "GOWORK=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOPROXY=file://" + filepath.ToSlash(m.proxy()) + ",file://" + filepath.ToSlash(filepath.Join(m.cache, "cache", "download"))}
	m.env = append(m.env, "GOFLAGS=-modcacherw", "GOMODCACHE="+t.TempDir())
	for from, to := range files {
		m.Put(from, to)
	}
	m.Shell("go mod init " + name)
	return m
}

// Put copies a file into the module.
func (m *Module) Put(from, to string) {
	m.t.Helper()
	data, err := os.ReadFile(from)
	to = filepath.Join(m.Dir, to)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// UseCheckout replaces what came from the proxy by the checkout that it was made of, and gives up the module cache of its
// own: what is built then is what other tests have built already. go.mod and go.sum stay, and are not to be updated.
func (m *Module) UseCheckout() {
	m.t.Helper()
	m.Shell("go mod edit -replace=" + path + "=" + m.top)
	m.env = append(m.env, "GOFLAGS=-mod=readonly", "GOMODCACHE="+m.cache)
}

// Shell runs a command line in the module, and returns what it prints on standard output.
func (m *Module) Shell(line string) string {
	m.t.Helper()
	return m.command(line, m.Dir)
}

func (m *Module) command(line, dir string) string {
	m.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	cmd.Env = append(os.Environ(), m.env...)
	if err := cmd.Run(); err != nil {
		m.t.Fatalf("%s: %v\n%s%s", line, err, &out, &said)
	}
	return out.String()
}

// proxy makes the proxy, and returns its folder.
func (m *Module) proxy() string {
	m.t.Helper()
	root := m.t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(m.top, "go.mod"))
	if err != nil {
		m.t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list":            []byte(Version + "\n"),
		Version + ".info": []byte(`{"Version":"` + Version + `","Time":"2026-01-01T00:00:00Z"}`),
		Version + ".mod":  mod,
		Version + ".zip":  m.archive(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
	return root
}

// archive is the checkout as a proxy has it. Folders of results and those whose names begin with a dot are left out.
func (m *Module) archive() []byte {
	m.t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	err := filepath.WalkDir(m.top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.top, file)
		if err != nil || name == "." {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") || name == "out" || name == "bin" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		out, err := w.CreateHeader(&zip.FileHeader{Name: path + "@" + Version + "/" + filepath.ToSlash(name), Method: zip.Store})
		if err == nil {
			_, err = out.Write(data)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return buf.Bytes()
}
