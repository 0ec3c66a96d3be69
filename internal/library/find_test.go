package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// files are modules: app, one within it, others that it requires, and one with its own copies of what it requires.
const files = `
-- app/go.mod --
// A comment.
module "example.com/app" // another

go 1.26

require (
	example.com/other v1.0.0
	example.com/empty v1.0.0
)

replace (
	example.com/other => ../other
	example.com/empty => ../empty
)
-- app/rng/b.ti --
-- app/rng/a.ti --
-- app/rng/notes.txt --
-- app/rng/sub.ti/x --
-- app/root.ti --
-- app/within/go.mod --
module example.com/within

go 1.26
-- app/within/rng/rng.ti --
-- other/go.mod --
module example.com/other

go 1.26
-- other/deep/deep.go --
package deep
-- other/deep/deep.ti --
-- empty/go.mod --
module example.com/empty

go 1.26
-- empty/empty.go --
package empty
-- vendored/go.mod --
module example.com/vendored

go 1.26

require example.com/copied v1.0.0
-- vendored/vendor/modules.txt --
# example.com/copied v1.0.0
## explicit; go 1.26
example.com/copied
-- vendored/vendor/example.com/copied/copied.go --
package copied
-- vendored/vendor/example.com/copied/copied.ti --
-- space/go.work --
go 1.26

use (
	./one
	./two
)
-- space/one/go.mod --
module example.com/one

go 1.26
-- space/two/go.mod --
module example.com/two

go 1.26
-- space/two/two.go --
package two
-- space/two/two.ti --
-- bare/x.ti --
`

// Libraries are found where Go finds packages.
func TestFiles(t *testing.T) {
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(files)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "")
	given := map[string]string{"example.com/given": filepath.Join(root, "other", "deep"), "example.com/app/rng": filepath.Join(root, "bare"), "none": filepath.Join(root, "none")}
	for _, test := range []struct {
		dir, path string
		given     map[string]string
		want      string // the files, or what the error says
	}{
		{"app", "example.com/app/rng", nil, "app/rng/a.ti app/rng/b.ti"},
		{"app/rng", "example.com/app", nil, "app/root.ti"},
		{"app", "example.com/app/rng", given, "bare/x.ti"},
		{"app", "example.com/given", given, "other/deep/deep.ti"},
		{"app", "none", given, "there is no folder "},
		{"app", "example.com/app/missing", nil, "there is no folder "},
		{"app", "example.com/app/within/rng", nil, "go list does not find it: "},
		{"app/within/rng", "example.com/within/rng", nil, "app/within/rng/rng.ti"},
		{"app", "example.com/other/deep", nil, "other/deep/deep.ti"},
		{"app/rng", "example.com/other/deep", nil, "other/deep/deep.ti"},
		{"app", "example.com/empty", nil, "empty has no .ti files"},
		{"app", "example.com/application", nil, "; go get example.com/application adds it to the module, and -lib example.com/application=FOLDER gives its folder"},
		{"vendored", "example.com/copied", nil, "vendored/vendor/example.com/copied/copied.ti"},
		{"space/one", "example.com/two", nil, "space/two/two.ti"},
	} {
		f := &Finder{Dir: filepath.Join(root, test.dir), Given: test.given}
		names, err := f.Files(test.path)
		for i, name := range names {
			rel, _ := filepath.Rel(root, name)
			names[i] = filepath.ToSlash(rel)
		}
		if strings.HasSuffix(test.want, ".ti") != (err == nil) || err == nil && strings.Join(names, " ") != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s in %s: files %v, error %v; want %s", test.path, test.dir, names, err, test.want)
		}
	}
	t.Setenv("PATH", "")
	f := &Finder{Dir: filepath.Join(root, "app")}
	if _, err := f.Files("example.com/other/deep"); err == nil || !strings.Contains(err.Error(), "there is no go command to find it; give its folder, -lib example.com/other/deep=FOLDER") {
		t.Errorf("without the go command: %v", err)
	}
}

func TestPathOf(t *testing.T) {
	dir := t.TempDir()
	if p, err := PathOf(filepath.Join(dir, "rng")); p != "rng" || err != nil {
		t.Errorf("outside of modules it is %q, error %v", p, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/app\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for rel, want := range map[string]string{"rng": "example.com/app/rng", ".": "example.com/app", "a/b": "example.com/app/a/b"} {
		if p, err := PathOf(filepath.Join(dir, rel)); p != want || err != nil {
			t.Errorf("of %s it is %q, error %v; want %s", rel, p, err, want)
		}
	}
}

func TestParseGiven(t *testing.T) {
	for _, wrong := range []string{"example.com/rng", "=dir", "example.com/rng=", "a=b a=c"} {
		if _, err := ParseGiven(strings.Fields(wrong)); err == nil {
			t.Errorf("%q gives no error", wrong)
		}
	}
}
