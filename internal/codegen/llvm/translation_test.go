package llvm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

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
