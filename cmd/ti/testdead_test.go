package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestReadDead(t *testing.T) {
	got, err := readDead([]byte(`[{"Name": "p", "Path": "m/p", "Funcs": [{"Name": "T.f", "Position": {"File": "p/a.go", "Line": 3, "Col": 6}}]}, {"Name": "q", "Funcs": null}]`))
	if want := []deadFunc{{"T.f", "p/a.go", 3}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := readDead([]byte("p/a.go:3:6: unreachable func: T.f")); err == nil {
		t.Error("what is no JSON is read")
	}
}

// TestDeadInAll: code is alive if one configuration reaches it, and dead if none does that builds it.
func TestDeadInAll(t *testing.T) {
	never := deadFunc{"never", "all.go", 1}
	elsewhere := deadFunc{"elsewhere", "all.go", 2}
	other := deadFunc{"other", "second.go", 1}
	has := func(config int, file string) (bool, error) { return file == "all.go" || config == 1, nil }
	got, err := deadInAll([][]deadFunc{{never, elsewhere}, {never, other}}, has)
	if want := []deadFunc{never, other}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	wrong := errors.New("wrong")
	if _, err := deadInAll([][]deadFunc{{never}, {}}, func(int, string) (bool, error) { return false, wrong }); !errors.Is(err, wrong) {
		t.Errorf("%v; want %v", err, wrong)
	}
}

// TestDeadConfigs: which files are built goes by systems and tags.
func TestDeadConfigs(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"a.go": "package p\n", "a_windows.go": "package p\n", "b.go": "//go:build ti_ahead\n\npackage p\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		config deadConfig
		want   [3]bool
	}{
		{deadConfig{goos: "linux", goarch: "amd64"}, [3]bool{true, false, false}},
		{deadConfig{goos: "windows", goarch: "amd64"}, [3]bool{true, true, false}},
		{deadConfig{goos: "linux", goarch: "arm64", tags: []string{"ti_ahead"}}, [3]bool{true, false, true}},
	} {
		var got [3]bool
		for i, name := range []string{"a.go", "a_windows.go", "b.go"} {
			var err error
			if got[i], err = c.config.has(root, name); err != nil {
				t.Fatal(err)
			}
		}
		if got != c.want {
			t.Errorf("%+v has %v; want %v", c.config, got, c.want)
		}
	}
	if few, all := len(deadConfigs(false)), len(deadConfigs(true)); few != 2 || all != few+len(platforms(true)) {
		t.Errorf("%d and %d configurations", few, all)
	}
}
