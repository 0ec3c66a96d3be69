package demo

import (
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
)

// TestWindow: a scene with a window shows it where one was asked for, counts its frames, and writes no film; else there is none.
func TestWindow(t *testing.T) {
	scene := func(m *Movie) {
		x := new(ti.Field[float32])
		m.Place(ti.Shape{2, 2}, x)
		w := m.Window("scene", 8, 8)
		if w == nil {
			for range m.Frames() {
				m.Show(x)
			}
			return
		}
		m.Loop(w, func() error { x.Set(0.5, 0, 0); return nil }, func() error { return w.Show(x) })
	}
	t.Setenv(gui.EnvMode, "record:"+t.TempDir()+"/")
	d := New("scene", t.TempDir(), nil)
	result, err := d.Play("scene", 2, scene)
	if err != nil || filepath.Base(result.File) != "scene.gif" {
		t.Errorf("without a window the result is %v, %v", result, err)
	}
	d.InWindow("")
	result, err = d.Play("scene", 2, scene)
	if err != nil || result.File != "" || result.Work != "100 frames in a window" || result.Amount != 100 {
		t.Errorf("with a window the result is %v, %v", result, err)
	}
}
