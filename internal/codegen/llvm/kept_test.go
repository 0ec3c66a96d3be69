package llvm

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// TestKeptObjects has a second compiler find what a first one made. What it finds is
// exchanged for another object, so that it shows who asks libLLVM all the same: a stage that
// people look at, and who verifies tasks.
func TestKeptObjects(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvObjects, dir)
	lib := libraries(t)[0]
	translated := func(level int, verify bool) *translation {
		k := nestKernel([]ir.Dim{constDim(ir.I32, 0, 4)})
		made, err := New(lib).Translate(k, target.Options{Options: option.Options{Level: level, VerifyTasks: verify}})
		if err != nil {
			t.Fatal(err)
		}
		return made.(*translation)
	}
	object := func(tr *translation) []byte {
		t.Helper()
		objects, err := tr.objects(tr.modules, tr.compile)
		if err != nil || len(objects) != 1 {
			t.Fatalf("%d objects, %v", len(objects), err)
		}
		return objects[0]
	}
	first := translated(3, false)
	want := object(first)
	key, err := lib.Key(nil, first.pipeline)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := cache.Open(cache.Options{Dir: dir, Policy: cache.Never})
	if err != nil {
		t.Fatal(err)
	}
	name := objectKey(key, first.modules[0])
	if got, ok := kept.Get(name); !ok || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes are kept of an object of %d", len(got), len(want))
	}
	other := []byte("another object")
	kept.Put(name, other)
	if got := object(translated(3, false)); !bytes.Equal(got, other) {
		t.Error("the second compiler made the object again")
	}
	for what, tr := range map[string]*translation{"another level": translated(0, false), "verified tasks": translated(3, true)} {
		if got := object(tr); bytes.Equal(got, other) {
			t.Errorf("%s: the object of another text was found", what)
		}
	}
	if text, err := translated(3, false).Text("object"); err != nil || text != string(want) {
		t.Errorf("the stage is %d bytes of an object of %d, %v", len(text), len(want), err)
	}
}

// TestObjectKeys has modules that differ in one thing each.
func TestObjectKeys(t *testing.T) {
	keys := map[cache.Key]bool{}
	all := []cache.Key{
		objectKey([]byte("a"), []llvm.Source{{Text: "x", Name: "task0"}}),
		objectKey([]byte("b"), []llvm.Source{{Text: "x", Name: "task0"}}),
		objectKey([]byte("a"), []llvm.Source{{Text: "y", Name: "task0"}}),
		objectKey([]byte("a"), []llvm.Source{{Text: "x", Name: "task1"}}),
		objectKey([]byte("a"), []llvm.Source{{Text: "x", Name: "task0"}, {Text: "y", Name: "task1"}}),
		objectKey([]byte("a"), []llvm.Source{{Text: "y", Name: "task1"}, {Text: "x", Name: "task0"}}),
		objectKey([]byte("a"), []llvm.Source{{Text: "x\n\"task1\" 1\ny", Name: "task0"}}),
	}
	for _, k := range all {
		keys[k] = true
	}
	if len(keys) != len(all) {
		t.Errorf("%d modules have %d keys", len(all), len(keys))
	}
}

// TestNoFolderForObjects names a file in the place of a folder.
func TestNoFolderForObjects(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvObjects, file)
	made, err := New(libraries(t)[0]).Translate(nestKernel([]ir.Dim{constDim(ir.I32, 0, 4)}), target.Options{Options: option.Options{Level: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.Pieces(); err == nil {
		t.Error("objects were kept in a file")
	}
}
