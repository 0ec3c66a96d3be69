//go:build !js

package gui_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/picture"
)

// A model is all kinds of shapes.
type model struct {
	ground, corners *ti.Field[ti.Vec3]
	faces           *ti.Field[[3]int32]
	edges           *ti.Field[uint32]
	balls           *ti.Field[ti.DVec3]
	radii           *ti.Field[float32]
	colors          *ti.Field[ti.Vec3]
	ring            *ti.Field[ti.Vec2]
	speed           *ti.Field[float32]
	picture         *ti.Field[float32]
}

func newModel(rt *ti.Runtime) *model {
	m := &model{
		ground: ti.NewField[ti.Vec3](rt, 6), corners: ti.NewField[ti.Vec3](rt, 4), faces: ti.NewField[[3]int32](rt, 4), edges: ti.NewField[uint32](rt, 12),
		balls: ti.NewField[ti.DVec3](rt, 2, 4), radii: ti.NewField[float32](rt, 2, 4), colors: ti.NewField[ti.Vec3](rt, 2, 4),
		ring: ti.NewField[ti.Vec2](rt, 6), speed: ti.NewField[float32](rt, 6), picture: ti.NewField[float32](rt, 8, 8),
	}
	for i, p := range []ti.Vec3{{-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}} {
		m.ground.Set(p, i)
	}
	for i, p := range []ti.Vec3{{-0.5, 0.1, 0.3}, {0.5, 0.1, 0.3}, {0, 0.1, -0.6}, {0, 0.9, 0}} {
		m.corners.Set(p, i)
	}
	for i, f := range [][3]int32{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}} {
		m.faces.Set(f, i)
	}
	for i, e := range []uint32{0, 1, 1, 2, 2, 0, 0, 3, 1, 3, 2, 3} {
		m.edges.Set(e, i)
	}
	for i := range 8 {
		x := float64(i)/4 - 0.875
		m.balls.Set(ti.DVec3{x, 0.3, 0.4 - x}, i/4, i%4)
		m.radii.Set(0.05+0.02*float32(i), i/4, i%4)
		m.colors.Set(ti.Vec3{float32(i) / 8, 0.5, 1 - float32(i)/8}, i/4, i%4)
	}
	for i, p := range []ti.Vec2{{0.1, 0.1}, {0.9, 0.1}, {0.9, 0.1}, {0.9, 0.9}, {0.1, 0.9}, {0.5, 0.97}} {
		m.ring.Set(p, i)
		m.speed.Set(float32(i)/6, i)
	}
	for i := range 64 {
		m.picture.Set(float32(i/8+i%8)/32, i/8, i%8)
	}
	return m
}

// shapesConfig is how models are shown.
var shapesConfig = gui.Config{Picture: picture.Config{XY: true, Map: picture.Viridis(64)}, Background: picture.RGB(0x203040), Quiet: true}

// draw draws a frame: the first with a picture, later ones without.
func (m *model) draw(w *gui.Window, n int) error {
	if n == 0 {
		if err := w.Show(m.picture); err != nil {
			return err
		}
	}
	for _, err := range []error{
		w.Lines(m.ring, gui.Lines{Radius: 0.01, Colors: m.speed}),
		w.Points(m.ring, gui.Points{Radius: 0.03, Color: picture.RGB(0xff8800)}),
		w.Triangles(m.ground, gui.Triangles{Color: picture.RGB(0x808080)}),
		w.Triangles(m.corners, gui.Triangles{Color: picture.RGB(0x30a060), Index: m.faces}),
		w.Lines(m.corners, gui.Lines{Radius: 0.02, Index: m.edges}),
		w.Points(m.balls, gui.Points{Radii: m.radii, Colors: m.colors}),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// drags are what people do before frames: turn, move aside, come nearer, also by keys.
var drags = [][]string{
	{},
	{`"kind":"press","x":0.5,"y":0.5`, `"kind":"move","x":0.7,"y":0.4`, `"kind":"release","x":0.7,"y":0.4`},
	{`"kind":"press","button":2,"x":0.5,"y":0.5`, `"kind":"move","x":0.4,"y":0.6`, `"kind":"release","button":2,"x":0.4,"y":0.6`},
	{`"kind":"wheel","wheel":3`},
	{`"kind":"keydown","key":"ArrowRight"`, `"kind":"keydown","key":"ArrowRight"`, `"kind":"keydown","key":"ArrowRight"`, `"kind":"keyup","key":"ArrowRight"`, `"kind":"keydown","key":"ArrowUp"`, `"kind":"keydown","key":"ArrowUp"`},
	{`"kind":"keydown","key":"ArrowLeft"`, `"kind":"keydown","key":"ArrowDown"`, `"kind":"keydown","key":"-"`, `"kind":"keydown","key":"PageDown"`, `"kind":"keydown","key":"PageDown"`, `"kind":"keydown","key":"x"`},
	{`"kind":"keydown","key":"+"`, `"kind":"keydown","key":"PageUp"`},
	{`"kind":"wheel","wheel":3`},
}

// recordModel returns the pictures of a model without a page, after each of the drags.
func recordModel(t *testing.T, width, height int) (all []image.Image) {
	dir := t.TempDir()
	var input strings.Builder
	for n, events := range drags {
		for _, e := range events {
			fmt.Fprintf(&input, "{\"frame\":%d,%s}\n", n+1, e)
		}
	}
	fmt.Fprintf(&input, "{\"frame\":%d,\"kind\":\"close\"}\n", len(drags)+1)
	file := filepath.Join(dir, "input")
	titest.Must(t, os.WriteFile(file, []byte(input.String()), 0o600))
	t.Setenv(gui.EnvInput, file)
	t.Setenv(gui.EnvMode, "record:"+dir+"/")
	defer os.Unsetenv(gui.EnvInput)
	defer os.Unsetenv(gui.EnvMode)
	rt := titest.New(t, ti.Config{})
	m := newModel(rt)
	w, err := shapesConfig.Open("model", width, height)
	titest.Must(t, err)
	titest.Must(t, w.Camera(gui.Camera{Eye: ti.Vec3{0.6, 1.2, 3}, Target: ti.Vec3{0, 0.3, 0}}))
	for n := range w.Frames(t.Context()) {
		titest.Must(t, m.draw(w, n))
	}
	titest.Must(t, w.Close())
	for n := range len(drags) + 1 {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%04d.png", n)))
		titest.Must(t, err)
		img, err := png.Decode(bytes.NewReader(data))
		titest.Must(t, err)
		all = append(all, img)
	}
	return all
}

// TestRecordShapes: without a page the processor draws, in the size of the window, what the camera of the file of input sees.
func TestRecordShapes(t *testing.T) {
	all := recordModel(t, 160, 120)
	if got := all[0].Bounds().Size(); got != image.Pt(120, 120) { // the picture of the first frame is square
		t.Errorf("the frame with a picture has %v pixels", got)
	}
	for n, img := range all[1:] {
		if got := img.Bounds().Size(); got != image.Pt(160, 120) {
			t.Errorf("frame %d has %v pixels", n+1, got)
		}
		if got := color.NRGBAModel.Convert(img.At(16, 108)); got != (color.NRGBA{0xff, 0x88, 0, 255}) {
			t.Errorf("frame %d: the point in the corner is %v", n+1, got)
		}
		if got := color.NRGBAModel.Convert(img.At(158, 2)); got != (color.NRGBA{0x20, 0x30, 0x40, 255}) {
			t.Errorf("frame %d: the background is %v", n+1, got)
		}
		if mean, _ := differ(all[n], img); n > 0 && len(drags[n]) > 0 && mean < 1 {
			t.Errorf("the drag before frame %d changes little: %v", n+1, mean)
		}
	}
	if mean, _ := differ(all[1], all[2]); mean < 1 {
		t.Errorf("a drag turns nothing: %v", mean)
	}
}

// A sent shape is one as pages get it.
type sentShape struct {
	head      []uint32
	radius    float32
	color     []byte
	positions []float32
	radii     []float32
	colors    []byte
	index     []uint32
}

// shapesOf reads the shapes of a message, behind the picture.
func shapesOf(t *testing.T, data []byte) (all []sentShape) {
	t.Helper()
	r := bytes.NewReader(data)
	get := func(v any) { titest.Must(t, binary.Read(r, binary.LittleEndian, v)) }
	var n uint32
	get(&n)
	for range n {
		s := sentShape{head: make([]uint32, 5), color: make([]byte, 4)}
		get(s.head)
		get(&s.radius)
		get(s.color)
		s.positions = make([]float32, s.head[1]*s.head[2])
		get(s.positions)
		if s.head[4]&1 != 0 {
			s.radii = make([]float32, s.head[2])
			get(s.radii)
		}
		if s.head[4]&2 != 0 {
			s.colors = make([]byte, 4*s.head[2])
			get(s.colors)
		}
		if s.head[4]&4 != 0 {
			s.index = make([]uint32, s.head[3])
			get(s.index)
		}
		all = append(all, s)
	}
	if r.Len() > 0 {
		t.Errorf("%d bytes are left", r.Len())
	}
	return all
}

// TestShapes: pages get a frame as one message, with its picture and its shapes, and the next frame begins empty.
func TestShapes(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	flat, space := ti.NewField[ti.Vec2](rt, 2), ti.NewField[ti.DVec3](rt, 3)
	radii, colors, index := ti.NewField[float64](rt, 2), ti.NewField[[4]uint8](rt, 2), ti.NewField[[2]uint32](rt, 1)
	flat.Set(ti.Vec2{0.25, 0.75}, 0)
	space.Set(ti.DVec3{1, 2, 3}, 2)
	radii.Set(0.5, 1)
	colors.Set([4]uint8{1, 2, 3, 4}, 1)
	index.Set([2]uint32{1, 0}, 0)
	grey := ti.NewField[uint8](rt, 1, 3)
	for _, xy := range []bool{false, true} {
		w, address := open(t, gui.Config{Picture: picture.Config{XY: xy}, Unseen: true}, 30, 20)
		v := look(t, address)
		v.read()
		var head []uint32
		var data []byte
		for n := range w.Frames(t.Context()) {
			if n == 0 {
				titest.Must(t, w.Points(flat, gui.Points{Radius: 0.125, Color: color.NRGBA{9, 8, 7, 6}}))
				titest.Must(t, w.Show(grey))
				titest.Must(t, w.Lines(flat, gui.Lines{Radii: radii, Colors: colors, Index: index}))
				continue
			}
			head, data = v.picture()
			titest.Must(t, w.Triangles(space, gui.Triangles{}))
			break
		}
		size := []uint32{3, 1}
		if xy {
			size = []uint32{1, 3}
		}
		if want := []uint32{4, 1, size[0], size[1], 23}; !slices.Equal(head, want) {
			t.Errorf("the head is %v, want %v", head, want)
		}
		got := shapesOf(t, data[24:]) // the picture has 20 bytes and 3 pixels, and a byte more for the numbers to be aligned
		at := []float32{0.75, 0.25, 0, 0}
		if xy {
			at = []float32{0.25, 0.25, 0, 1}
		}
		want := []sentShape{
			{[]uint32{0, 2, 2, 0, 0}, 0.125, []byte{9, 8, 7, 6}, at, nil, nil, nil},
			{[]uint32{1, 2, 2, 2, 7}, 0, []byte{255, 255, 255, 255}, at, []float32{0, 0.5}, []byte{0, 0, 0, 0, 1, 2, 3, 4}, []uint32{1, 0}},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("XY %v: the shapes are\n%v, want\n%v", xy, got, want)
		}
		v.drawn(1)
		text, _, _ := v.read() // the camera that sees the positions comes first
		var camera struct{ Eye, Target, Up []float64 }
		titest.Must(t, json.Unmarshal(text["camera"], &camera))
		if !slices.Equal(camera.Target, []float64{0.5, 1, 1.5}) || !slices.Equal(camera.Up, []float64{0, 1, 0}) {
			t.Errorf("the camera is %v", camera)
		}
		head, data = v.picture()
		if want := []uint32{4, 2, 30, 20, 0}; !slices.Equal(head, want) {
			t.Errorf("the head is %v, want %v", head, want)
		}
		if got, want := shapesOf(t, data), []sentShape{{[]uint32{2, 3, 3, 0, 0}, 0, []byte{255, 255, 255, 255}, []float32{0, 0, 0, 0, 0, 0, 1, 2, 3}, nil, nil, nil}}; !reflect.DeepEqual(got, want) {
			t.Errorf("the shapes are %v, want %v", got, want)
		}
		titest.Must(t, w.Close())
	}
}

// TestOutsideOfFrames: Show shows at once where there is no frame, with the shapes before it; Sync and Close show what has been drawn.
func TestOutsideOfFrames(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	at := ti.NewField[ti.Vec2](rt, 1)
	w, address := open(t, gui.Config{}, 8, 8)
	v := look(t, address)
	titest.Must(t, w.Points(at, gui.Points{}))
	titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 4, 1))))
	if head, data := v.picture(); head[0] != 4 || len(shapesOf(t, data[24:])) != 1 {
		t.Errorf("the message is %v %v", head, data)
	}
	v.drawn(1)
	titest.Must(t, w.Points(at, gui.Points{}))
	done := make(chan error)
	go func() { done <- w.Sync(t.Context()) }()
	if head, _ := v.picture(); head[1] != 2 {
		t.Errorf("picture %d comes by Sync", head[1])
	}
	v.drawn(2)
	titest.Must(t, <-done)
	titest.Must(t, w.Points(at, gui.Points{}))
	go func() { done <- w.Close() }()
	if head, _ := v.picture(); head[1] != 3 {
		t.Errorf("picture %d comes by Close", head[1])
	}
	v.drawn(3)
	titest.Must(t, <-done)
	if err := w.Points(at, gui.Points{}); !errors.Is(err, gui.ErrClosed) {
		t.Errorf("points for a closed window: %v", err)
	}
}

// TestCamera: pages learn of another camera, not of the same one again, and one that comes later learns of it, too.
func TestCamera(t *testing.T) {
	w, address := open(t, gui.Config{Background: color.White}, 8, 8)
	v := look(t, address)
	if text, _, _ := v.read(); !strings.Contains(string(text["hello"]), `"back":"#ffffff"`) {
		t.Errorf("hello is %s", text["hello"])
	}
	c := gui.Camera{Eye: ti.Vec3{0, 0, 3}}
	for range 3 {
		titest.Must(t, w.Camera(c))
	}
	c.Fixed, c.FOV, c.Up = true, 30, ti.Vec3{0, 0, 1}
	titest.Must(t, w.Camera(c))
	want := []string{`{"eye":[0,0,3],"target":[0,0,0],"up":[0,1,0],"fov":45}`, `{"eye":[0,0,3],"target":[0,0,0],"up":[0,0,1],"fov":30,"fixed":true}`}
	for _, want := range want {
		if text, _, _ := v.read(); string(text["camera"]) != want {
			t.Errorf("the camera is %s, want %s", text["camera"], want)
		}
	}
	late := look(t, address)
	late.read()
	if text, _, _ := late.read(); string(text["camera"]) != want[1] {
		t.Errorf("a page that comes later has the camera %s", text["camera"])
	}
}

// TestSlowShapes: on a slow line the picture of a drawing is a JPEG, and its shapes stay as they are.
func TestSlowShapes(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	at := ti.NewField[ti.Vec2](rt, 5)
	w, address := open(t, gui.Config{}, 64, 64)
	v := look(t, address)
	titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 64, 64))))
	head, _ := v.picture()
	time.Sleep(60 * time.Millisecond)
	v.drawn(head[1])
	for _, hasPicture := range []bool{true, false} {
		eventually(t, "a JPEG", func() bool {
			titest.Must(t, w.Points(at, gui.Points{}))
			if hasPicture {
				titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 64, 64))))
			} else {
				go func() { _ = w.Sync(t.Context()) }()
			}
			head, data := v.picture()
			time.Sleep(60 * time.Millisecond)
			v.drawn(head[1])
			shapes := shapesOf(t, data[(head[4]+3)&^3:])
			return head[0] == 4 && len(shapes) == 1 && (!hasPicture && head[4] == 0 || hasPicture && data[0] == 3 && string(data[20:22]) == "\xff\xd8")
		})
	}
}

// TestBadShapes: each mistake is an error that names it.
func TestBadShapes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	rt := titest.New(t, ti.Config{})
	flat, bad, three := ti.NewField[ti.Vec2](rt, 4), ti.NewField[int32](rt, 4), ti.NewField[ti.Vec2](rt, 3)
	bad.Set(-1, 2)
	high := ti.NewField[[3]uint32](rt, 2)
	high.Set([3]uint32{0, 4, 1}, 1)
	var none *ti.Field[ti.Vec2]
	sparse := new(ti.Field[ti.Vec2])
	rt.NewTree().Pointer(ti.I, 1<<20).Dense(ti.I, 1<<10).Place(sparse)
	titest.Must(t, rt.Load("package p\nvar X field[vec2]", &struct{ X *ti.Field[ti.Vec2] }{sparse}))
	for want, draw := range map[string]func(w *gui.Window) error{
		"Points: positions: there is no field":      func(w *gui.Window) error { return w.Points(nil, gui.Points{}) },
		"Lines: positions: there is no field":       func(w *gui.Window) error { return w.Lines(none, gui.Lines{}) },
		"is not placed":                             func(w *gui.Window) error { return w.Points(&ti.Field[ti.Vec2]{}, gui.Points{}) },
		"has int32; a position is a vec2 or vec3":   func(w *gui.Window) error { return w.Points(bad, gui.Points{}) },
		"has [4]float32; a position":                func(w *gui.Window) error { return w.Points(ti.NewField[ti.Vec4](rt, 2), gui.Points{}) },
		"elements, and 33554432 is the most":        func(w *gui.Window) error { return w.Points(sparse, gui.Points{}) },
		"radii: ":                                   func(w *gui.Window) error { return w.Points(flat, gui.Points{Radii: flat}) },
		"has 2 elements, and there are 4 positions": func(w *gui.Window) error { return w.Points(flat, gui.Points{Radii: ti.NewField[float32](rt, 2)}) },
		"colours: ": func(w *gui.Window) error { return w.Points(flat, gui.Points{Colors: bad}) },
		"has 3 elements, and there are 4 positions": func(w *gui.Window) error { return w.Points(flat, gui.Points{Colors: three}) },
		"element 2 of":                                        func(w *gui.Window) error { return w.Lines(flat, gui.Lines{Index: bad}) },
		"names position -1, and there are 4":                  func(w *gui.Window) error { return w.Lines(flat, gui.Lines{Index: bad}) },
		"names position 4, and there are 4":                   func(w *gui.Window) error { return w.Triangles(flat, gui.Triangles{Index: high}) },
		"and i32 or u32, or vectors of 2 of them, are wanted": func(w *gui.Window) error { return w.Lines(flat, gui.Lines{Index: high}) },
		"3 positions are no multiple of 2":                    func(w *gui.Window) error { return w.Lines(three, gui.Lines{}) },
		"4 indices are no multiple of 3":                      func(w *gui.Window) error { return w.Triangles(flat, gui.Triangles{Index: ti.NewField[int32](rt, 4)}) },
		"looks nowhere":                                       func(w *gui.Window) error { return w.Camera(gui.Camera{}) },
		"FOV is -1":                                           func(w *gui.Window) error { return w.Camera(gui.Camera{Eye: ti.Vec3{1}, FOV: -1}) },
	} {
		w, err := gui.Config{Quiet: true}.Open("w", 8, 8)
		titest.Must(t, err)
		if err := draw(w); err == nil || !strings.Contains(err.Error(), want) || w.Err() == nil {
			t.Errorf("the error is %v, want one with %q; the window has %v", err, want, w.Err())
		}
		_ = w.Close()
	}
}

// TestNoShapes: fields without elements, and numbers that are none, draw nothing.
func TestNoShapes(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	nan := ti.NewField[ti.Vec3](rt, 2)
	nan.Fill(ti.Vec3{float32(math.NaN()), float32(math.Inf(1)), 0})
	t.Setenv(gui.EnvMode, "record:"+t.TempDir()+"/a.gif")
	w, err := gui.Open("w", 8, 8)
	titest.Must(t, err)
	for n := range w.Frames(t.Context()) {
		titest.Must(t, w.Points(nan, gui.Points{}))
		titest.Must(t, w.Lines(nan, gui.Lines{}))
		if n == 2 {
			break
		}
	}
	titest.Must(t, w.Close())
}

// BenchmarkPoints copies 100,000 points: positions that follow each other in memory, and those of structs, with a colour each.
func BenchmarkPoints(b *testing.B) {
	type particle struct {
		X, V  ti.Vec3
		Color ti.Vec3
	}
	rt := titest.New(b, ti.Config{})
	const n = 100_000
	x, colors, all := ti.NewField[ti.Vec3](rt, n), ti.NewField[ti.Vec3](rt, n), ti.NewField[particle](rt, n)
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	for name, draw := range map[string]func(w *gui.Window) error{
		"fields": func(w *gui.Window) error { return w.Points(x, gui.Points{Colors: colors}) },
		"members": func(w *gui.Window) error {
			return w.Points(ti.Member[ti.Vec3](all, "X"), gui.Points{Colors: ti.Member[ti.Vec3](all, "Color")})
		},
	} {
		b.Run(name, func(b *testing.B) {
			w, err := gui.Config{Quiet: true}.Open(b.Name(), 512, 512)
			titest.Must(b, err)
			defer w.Close()
			for b.Loop() {
				titest.Must(b, draw(w))
				titest.Must(b, w.Sync(b.Context()))
			}
		})
	}
}
