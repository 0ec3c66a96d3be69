package script

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestJoined takes texts apart and puts them together.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   Files
		joined string // "" for text
	}{
		{"package a\n", Files{Sources: []SourceText{{"k.ti", "package a\n"}}, Before: map[string]int{"k.ti": 0}}, ""},
		{"", Files{Sources: []SourceText{{"k.ti", ""}}, Before: map[string]int{"k.ti": 0}}, ""},
		{"\n-- a.ti --\n", Files{Sources: []SourceText{{"k.ti", "\n-- a.ti --\n"}}, Before: map[string]int{"k.ti": 0}}, ""},
		{"-- a.ti --\npackage a\n\nvar A f32\n-- b.ti --\npackage a\n-- x.org/y/rng.ti --\npackage y\n", Files{
			Sources:   []SourceText{{"a.ti", "package a\n\nvar A f32\n"}, {"b.ti", "package a\n"}},
			Libraries: []LibraryFile{{"x.org/y", "x.org/y/rng.ti", "package y\n"}},
			Before:    map[string]int{"k.ti": 0, "a.ti": 1, "b.ti": 5, "x.org/y/rng.ti": 7},
		}, ""},
		{"-- a.ti --\r\npackage a\r\n-- b.ti --\npackage b", Files{
			Sources: []SourceText{{"a.ti", "package a\r\n"}, {"b.ti", "package b"}},
			Before:  map[string]int{"k.ti": 0, "a.ti": 1, "b.ti": 3},
		}, "-- a.ti --\npackage a\r\n-- b.ti --\npackage b\n"},
		{"-- a.ti --\n-- b.ti --\n", Files{Sources: []SourceText{{"a.ti", ""}, {"b.ti", ""}}, Before: map[string]int{"k.ti": 0, "a.ti": 1, "b.ti": 2}}, "-- a.ti --\n\n-- b.ti --\n\n"},
	} {
		got := Split("k.ti", c.text)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is %+v, want %+v", c.text, got, c.want)
		}
		want := c.joined
		if want == "" {
			want = c.text
		}
		if joined := got.Join(); joined != want {
			t.Errorf("%q is joined to %q, want %q", c.text, joined, want)
		}
	}
}

// TestOpenFiles reads the files of a source with the library that it imports, of a module, and says what is missing.
func TestOpenFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n", "rng/rng.ti": "package rng\n\nfunc Half() f32 { return 0.5 }\n",
		"a.ti": "package a\n\nimport \"example.com/m/rng\"\n\nvar X field[f32]\n\nfunc F() { X[0] = rng.Half() + two() }\n", "b.ti": "package a\n\nfunc two() f32 { return 2 }\n",
		"none.ti": "package a\n\nimport \"example.com/m/none\"\n\nfunc F() { none.G() }\n", "broken.ti": "package",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	f, err := (&Libraries{}).Open([]string{at("a.ti"), at("b.ti")})
	if err != nil {
		t.Fatal(err)
	}
	again := Split("", f.Join())
	if len(again.Sources) != 2 || len(again.Libraries) != 1 || again.Libraries[0].Name != "example.com/m/rng/rng.ti" {
		t.Fatalf("the files are %+v", again)
	}
	s, err := Open(Options{Sources: again.Sources, Libraries: OnlyThese(again.Libraries), Binds: []string{"X=4"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Runtime.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(Options{Sources: again.Sources, Libraries: OnlyThese(nil), Binds: []string{"X=4"}}); err == nil || !strings.Contains(err.Error(), "-- example.com/m/rng/name.ti --") {
		t.Errorf("without the library: %v", err)
	}
	if _, err := (&Libraries{}).Open([]string{at("none.ti")}); err == nil || !strings.Contains(err.Error(), `none.ti imports "example.com/m/none": `) {
		t.Errorf("a library that is missing: %v", err)
	}
	if f, err := (&Libraries{}).Open([]string{at("broken.ti")}); err != nil || f.Join() != "package" {
		t.Errorf("a source that cannot be parsed: %+v, %v", f, err)
	}
}
