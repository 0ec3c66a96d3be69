package manual

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/document"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

// TestExamples runs the examples of all documents as pages do, and compares what they print, or what is wrong with them, with the documents.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all, none := 0, 0
	for _, file := range files {
		blocks, err := document.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if k, err := b.Kind(); k != document.Kernel || err != nil {
				continue
			}
			e, ok, err := exampleOf(b)
			if err != nil {
				t.Errorf("%v: %v", b, err)
				continue
			}
			if !ok {
				none++
				continue
			}
			all++
			compare(t, b, e)
		}
	}
	t.Logf("%d examples, and %d with nothing to launch", all, none)
	if all < 300 || none > all/10 {
		t.Errorf("%d examples run, and %d do not", all, none)
	}
}

func compare(t *testing.T, b *document.Block, e Example) {
	want := ""
	if b.Below != nil {
		want = strings.ReplaceAll(b.Below.Text, "doc.ti", "kernels.ti")
	}
	got, err := play(t, e)
	var source ti.SourceErrors
	var failed *ti.RuntimeError
	switch {
	case errors.As(err, &source):
		for _, m := range source {
			if !strings.Contains(want, m.Msg) {
				t.Errorf("%v: the page says %s, and the document\n%s", b, m.Msg, want)
			}
		}
	case errors.As(err, &failed):
		if !strings.Contains(want, failed.Msg) {
			t.Errorf("%v: the page says %s, and the document\n%s", b, failed.Msg, want)
		}
	case err != nil:
		t.Errorf("%v: %v\n%s", b, err, e.Scene)
	case strings.HasPrefix(want, "error TI") || strings.Contains(want, "[TI"):
		t.Errorf("%v: the page finds no mistake, and the document\n%s", b, want)
	case !strings.HasPrefix(got, want) && !strings.Contains(got, "Main() = ") && !strings.Contains(got, "() = "):
		t.Errorf("%v: the page prints\n%s\nand the document\n%s", b, got, want)
	}
}

// play is what an example prints.
func play(t *testing.T, e Example) (string, error) {
	sc, err := scene.Parse(e.Scene)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	p, err := sc.Open(scene.Options{Config: ti.Config{Arch: ti.Oracle}, Sources: []script.SourceText{{Name: "kernels.ti", Text: e.Source}}, Out: &out})
	if err != nil {
		return "", err
	}
	err = errors.Join(p.Run(t.Context(), gui.Config{}), p.Close())
	return out.String(), err
}
