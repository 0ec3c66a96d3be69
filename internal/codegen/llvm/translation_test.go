package llvm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// TestEach calls a function for more texts than there are processors.
func TestEach(t *testing.T) {
	texts := strings.Split(strings.Repeat("a bb ccc ", 20), " ")
	got, err := each(nil, texts, func(s string) (int, error) { return len(s), nil })
	if err != nil || len(got) != len(texts) || got[1] != 2 || got[59] != 3 {
		t.Errorf("%v, %v", got, err)
	}
	_, err = each(make(target.Slots, 1), texts, func(s string) (int, error) {
		if s == "bb" {
			return 0, errors.New("not this")
		}
		return 0, nil
	})
	if err == nil || strings.Count(err.Error(), "not this") != 20 {
		t.Error(err)
	}
}

// TestArchive makes one of objects of an even and an odd size.
func TestArchive(t *testing.T) {
	if archive(nil) != "" || archive([][]byte{{1, 2}}) != "\x01\x02" {
		t.Error("nothing, or one object, is no archive")
	}
	const head = "%s.o/            0           0     0     644     %s         `\n"
	want := "!<arch>\n" + fmt.Sprintf(head, "0", "3") + "abc\n" + fmt.Sprintf(head, "1", "2") + "de"
	if got := archive([][]byte{[]byte("abc"), []byte("de")}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSameText translates a kernel with tasks that differ in their names, places and numbers
// of loops alone. One of them is compiled, and the others have its code and key.
func TestSameText(t *testing.T) {
	const task = `
	task %d "t%d" loop %d i32 [0, 8) @0:%d:2 {
		prologue {
			%%b = base 0 : ptr
			yield
		}
		body(%%i: i32) {
			%%n = const %d : i64
			%%j = convert %%i : i64
			%%o = mul.nowrap %%j, %%n : i64
			%%p = offset %%b, %%o : ptr
			%%x = convert %%i : f32
			store %%p, %%x alias 1
			continue
		}
		epilogue {
			yield
		}
	}`
	text := "kernel K() {\n\tint i32\n\tfile \"k.ti\"\n\tfield @X [f32] [16] origin [0]\n\tbases [0]"
	for i, stride := range []int{4, 8, 4, 4, 8} {
		text += fmt.Sprintf(task, i, i, i+1, i+10, stride)
	}
	k, err := ir.Parse(text + "\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(nil).Translate(k, target.Options{Options: option.Options{Level: 3}})
	if err != nil {
		t.Fatal(err)
	}
	tr := made.(*translation)
	want := map[string]string{}
	for i, of := range map[int]int{2: 0, 3: 0, 4: 1} {
		want[target.Symbol(k.Tasks[i])] = target.Symbol(k.Tasks[of])
	}
	if !maps.Equal(tr.same, want) || len(slices.Concat(tr.modules...)) != 2 {
		t.Errorf("the same are %v of %d modules, want %v", tr.same, len(tr.modules), want)
	}
}
