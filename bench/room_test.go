package main

import (
	"bytes"
	"os"
	"testing"
)

// TestRoom computes the sizes of the parts of a program from its table of functions. The program is this test binary.
func TestRoom(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if magic := make([]byte, 4); !isELF(self, magic) {
		t.Skip("this system has no ELF files")
	}
	taken, err := roomOf(self)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range append(roomParts[:len(roomParts):len(roomParts)], roomData) {
		if taken[i] < 20 {
			t.Errorf("%s: %.0f kB", r.name, taken[i])
		}
	}
}

func isELF(path string, magic []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Read(magic)
	return err == nil && bytes.Equal(magic, []byte("\x7fELF"))
}

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"main.main": "main",
		"github.com/gotaichi/ti/internal/pass/packet.(*maker).make.func1":  "github.com/gotaichi/ti/internal/pass/packet",
		"slices.SortFunc[go.shape.[]github.com/gotaichi/ti/internal/ir.X]": "slices",
		"type:.eq.go/token.Position":                                       "go/token",
		"memeqbody":                                                        "memeqbody",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("%s is of %q, want %q", function, got, want)
		}
	}
}
