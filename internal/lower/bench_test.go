package lower

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func BenchmarkMPM88(b *testing.B) {
	ar, err := txtar.ParseFile("testdata/mpm88.txtar")
	if err != nil {
		b.Fatal(err)
	}
	prog, err := source(string(ar.Files[0].Data), string(ar.Comment))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Kernel(&prog.Program, prog.Kernel("Substep"), Options{})
	}
}
