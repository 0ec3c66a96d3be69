package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gotaichi/ti/internal/randtest"
)

// The command does not import randtest, which would link package testing into it.
func TestEnvAll(t *testing.T) {
	if envAll != randtest.EnvAll {
		t.Errorf("the command sets %s, and tests read %s", envAll, randtest.EnvAll)
	}
}

func TestFuzzTargets(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, err := fuzzTargets(fstest.MapFS{
		"b/b_test.go":          file("package b\n\nfunc FuzzB(f *testing.F) {\n}\n\nfunc FuzzC(f *testing.F) {}\n"),
		"a/in/a_test.go":       file("package a\n\nfunc TestA(t *testing.T) {}\nfunc FuzzA(tf *testing.F) {}\n// func FuzzOut(f *testing.F)\n"),
		"a/a.go":               file("package a\n\nfunc FuzzNot(f *testing.F) {}\n"),
		"a/testdata/a_test.go": file("package a\n\nfunc FuzzNot(f *testing.F) {}\n"),
		".git/a_test.go":       file("package a\n\nfunc FuzzNot(f *testing.F) {}\n"),
	})
	want := []fuzzTarget{{"a/in", "FuzzA"}, {"b", "FuzzB"}, {"b", "FuzzC"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func TestInTime(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		out  string
		err  error
		want bool // whether the step passes
	}{
		{"ok \tpkg\t10.2s", nil, true},
		{"--- FAIL: FuzzParse (10.11s)\n    context deadline exceeded\nFAIL", failed, true},
		{"--- FAIL: FuzzParse (3.1s)\n    --- FAIL: FuzzParse (0.00s)\n    Failing input written to testdata/fuzz/x", failed, false},
		{"panic: boom\ncontext deadline exceeded", failed, false},
		{"build failed", failed, false},
	} {
		_, err := inTime(func() (string, error) { return c.out, c.err })()
		if (err == nil) != c.want {
			t.Errorf("%q: %v", c.out, err)
		}
	}
}

// TestRandomTests finds the tests that ask flags, themselves or by functions.
func TestRandomTests(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, err := randomTests(fstest.MapFS{
		"b/b_test.go": file(`package b
var seeds = randtest.New("seeds", "first", "things", 24, 20)
var other = randtest.Long("long", "take long")
func TestA(t *testing.T) { try(t) }
func try(t *testing.T) { seeds.Each(t, one) }
func TestOut(t *testing.T) { other.Each(t, one) }
`),
		"b/c_test.go": file(`package b
func TestC(t *testing.T) { seeds.Count() }
`),
		"a_test.go": file(`package a
var (
	few = randtest.New("few", "few.first", "things", 2, 2)
	more = randtest.New("more", "more.first", "things", 3, 2)
)
func TestFew(t *testing.T) { few.Each(t, one) }
func TestMore(t *testing.T) { few.Each(t, func() { more.Count() }) }
`),
		"testdata/x_test.go":          file("package x\nvar x = randtest.New(`x`, `y`, `z`, 1, 1)\n"),
		"internal/randtest/x_test.go": file("package randtest\nvar x = randtest.New(`x`, `y`, `z`, 1, 1)\n"),
	})
	want := []randomTest{
		{".", "few", "few.first", 2, []string{"TestFew", "TestMore"}},
		{".", "more", "more.first", 3, []string{"TestMore"}},
		{"b", "seeds", "first", 24, []string{"TestA", "TestC"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if p := want[0].pattern(); p != "^(TestFew|TestMore)$" {
		t.Errorf("%s", p)
	}
	if _, err := randomTests(fstest.MapFS{"a_test.go": file("package a {")}); err == nil {
		t.Error("a file that is no Go is left out")
	}
}

// TestAllRandomTests: each of the project is found with a test that asks it.
func TestAllRandomTests(t *testing.T) {
	all, err := randomTests(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]bool{}
	for _, r := range all {
		dirs[r.dir] = true
		if len(r.tests) == 0 {
			t.Errorf("no test of %s asks -%s", r.dir, r.count)
		}
	}
	for _, dir := range []string{"internal/gradient", "internal/autodiff/compiled", "internal/runtest/random", "internal/quanttest", "internal/driver", "internal/autodiff"} {
		if !dirs[dir] {
			t.Errorf("no random tests in %s", dir)
		}
	}
	n := 0
	if err := testFiles(os.DirFS("../.."), func(name string, text []byte) error {
		if !strings.HasPrefix(name, "internal/randtest/") && !strings.HasPrefix(name, "cmd/ti/") {
			n += strings.Count(string(text), "randtest.New(")
		}
		return nil
	}); err != nil || n != len(all) {
		t.Errorf("%d random tests of %d are found, %v", len(all), n, err)
	}
}

// TestTurns: each test has its turn as each processor, and then on other seeds.
func TestTurns(t *testing.T) {
	all := []randomTest{{dir: "a", usual: 2}, {dir: "b", usual: 10}}
	var got []string
	each(all, []string{"v3", "v2"}, 5, func(r randomTurn) bool {
		got = append(got, fmt.Sprint(r.dir, r.processor, r.first))
		return len(got) < 6
	})
	if want := []string{"av35", "bv25", "bv35", "av25", "av39", "bv225"}; !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
	r := randomTurn{randomTest{"d", "n", "f", 3, []string{"TestA", "TestB"}}, "x86-64-v3", 7}
	if again, want := r.again(), "TI_PROCESSOR=x86-64-v3 go test ./d -timeout 0 -run '^(TestA|TestB)$' -n=6 -f=7"; again != want {
		t.Errorf("%s; want %s", again, want)
	}
}

// TestTurned counts what fails and says how to do it again.
func TestTurned(t *testing.T) {
	var out bytes.Buffer
	x := &tester{io: &stdio{out: &out}}
	r := randomTurn{randomTest{"d", "n", "f", 3, []string{"TestA"}}, "x86-64-v3", 7}
	x.turned(r, time.Second, nil, nil)
	x.turned(r, time.Second, []byte("seed 9 is wrong"), errors.New("exit status 1"))
	if text := out.String(); x.passed != 1 || x.failed != 1 || !strings.Contains(text, "seed 9 is wrong\nagain: TI_PROCESSOR=") || x.verdict() == nil {
		t.Errorf("%d passed, %d failed:\n%s", x.passed, x.failed, text)
	}
}
