package llvm

import (
	"runtime"
	"strings"
	"testing"
)

// A library that was open before is opened when it has to compile, and refused if it is not
// what it was. Each case has a path of its own, since a process opens a file once.
func TestResume(t *testing.T) {
	l, err := Default()
	if err != nil {
		t.Skip(err)
	}
	if again := Resume(l.Host()); again != l {
		t.Error("a library that is open is another when it is resumed")
	}
	compile := func(l *Lib) error {
		_, err := l.Compile(Options{}, Source{Text: "define i64 @f() {\n ret i64 1\n}"})
		return err
	}
	at := func(path string, change func(*Host)) *Lib {
		h := l.Host()
		h.Path = strings.Replace(h.Path, "/", path, 1)
		change(&h)
		return Resume(h)
	}
	good := at("//", func(*Host) {})
	if good == l || good.HostCPU() != l.HostCPU() || good.Version() != l.Version() {
		t.Error("it does not say what it said")
	}
	if err := compile(good); err != nil {
		t.Error(err)
	}
	if _, err := good.Key(nil, Options{}); err != nil {
		t.Error(err)
	}
	t.Setenv(EnvProcessor, Processors(runtime.GOARCH)[0])
	chosen, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	h := chosen.Host()
	h.Path = strings.Replace(h.Path, "/", "/////", 1)
	if err := compile(Resume(h)); err != nil {
		t.Errorf("for a processor that was chosen: %v", err)
	}
	if err := compile(at("///", func(h *Host) { h.CPU += "x" })); err == nil || !strings.Contains(err.Error(), "ti cache clean") {
		t.Errorf("another processor: %v", err)
	}
	if err := compile(at("////", func(h *Host) { h.Path += ".gone" })); err == nil {
		t.Error("there is no such library, and it compiles")
	}
}
