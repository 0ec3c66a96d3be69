//go:build !js

package gui_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/picture"
)

// open opens a window that no browser shows, and returns the address of its page.
func open(t *testing.T, c gui.Config, width, height int) (*gui.Window, string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c.Quiet = true
	w, err := c.Open(t.Name(), width, height)
	titest.Must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w, gui.Address(w)
}

// A viewer is a page of a test.
type viewer struct {
	t    *testing.T
	conn *websocket.Conn
}

func look(t *testing.T, address string) *viewer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), address+"events", nil)
	titest.Must(t, err)
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &viewer{t, conn}
}

// read returns the next message: a text, or the head and the pixels of a picture.
func (v *viewer) read() (text map[string]json.RawMessage, head []uint32, pixels []byte) {
	v.t.Helper()
	kind, data, err := v.conn.Read(v.t.Context())
	titest.Must(v.t, err)
	if kind == websocket.MessageText {
		titest.Must(v.t, json.Unmarshal(data, &text))
		return text, nil, nil
	}
	for i := range 5 {
		head = append(head, binary.LittleEndian.Uint32(data[4*i:]))
	}
	return nil, head, data[20:]
}

// picture returns the next picture, after the texts before it.
func (v *viewer) picture() (head []uint32, pixels []byte) {
	v.t.Helper()
	for head == nil {
		_, head, pixels = v.read()
	}
	return head, pixels
}

func (v *viewer) send(event string) {
	v.t.Helper()
	titest.Must(v.t, v.conn.Write(v.t.Context(), websocket.MessageText, []byte(event)))
}

// drawn acknowledges a picture.
func (v *viewer) drawn(number uint32) { v.send(fmt.Sprintf(`{"kind":"drawn","frame":%d}`, number)) }

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			t.Fatal(what, "does not come true")
		}
	}
}

// TestWindow: a page gets the pictures of a field, and the program hears what people do, frame by frame.
func TestWindow(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	x := ti.NewField[float32](rt, 2, 3)
	for i := range 6 {
		x.Set(float32(i)/5, i/3, i%3)
	}
	w, address := open(t, gui.Config{}, 300, 200)
	alpha, on := w.Slider("alpha", 0.5, 0, 1), w.Checkbox("on", true)
	choice, button, text := w.Choice("kind", "a", "b"), w.Button("again"), w.Text("steps")
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		v := look(t, address)
		text, _, _ := v.read()
		if got := string(text["hello"]); got != `{"title":"TestWindow","width":300,"height":200}` {
			t.Errorf("hello is %s", got)
		}
		head, pixels := v.picture()
		if want := []uint32{0, 1, 3, 2, 0}; !slices.Equal(head, want) || !slices.Equal(pixels, []byte{0, 51, 102, 153, 204, 255}) {
			t.Errorf("the picture is %v %v", head, pixels)
		}
		for _, e := range []string{
			`{"kind":"move","x":0.1,"y":0.2}`, `{"kind":"press","button":0,"x":0.25,"y":0.75}`, `{"kind":"release","button":0,"x":0.3,"y":0.75}`, `{"kind":"move","x":0.9,"y":0.9}`,
			`{"kind":"wheel","wheel":1.5}`, `{"kind":"keydown","key":"a"}`, `{"kind":"keyup","key":"a"}`, `{"kind":"keydown","key":"ArrowUp"}`,
			`{"kind":"widget","widget":0,"value":7}`, `{"kind":"widget","widget":1,"value":false}`, `{"kind":"widget","widget":2,"value":1}`, `{"kind":"widget","widget":3}`,
			`{"kind":"widget","widget":2,"value":9}`, `{"kind":"widget","widget":77,"value":9}`, `{"kind":"widget","widget":0,"value":"x"}`, `no event`,
		} {
			v.send(e)
		}
		v.drawn(1)
	}()
	for n := range w.Frames(t.Context()) {
		switch n {
		case 0:
			titest.Must(t, w.Show(x))
			text.Set(n, " steps")
			titest.Must(t, w.Sync(t.Context())) // it is drawn, and what came before was heard
			x.Fill(0)
			if w.Mouse().Left || w.Down("a") || alpha.Value() != 0.5 || !on.Value() || button.Pressed() {
				t.Error("the input of a frame has changed in it")
			}
			<-seen
			continue
		case 1:
			if m, want := w.Mouse(), (gui.Mouse{Pos: ti.Vec2{0.75, 0.3}, Left: true, Wheel: 1.5}); m != want {
				t.Errorf("the mouse is at %v, want %v", m, want)
			}
			if !w.Down("a") || !w.Down("ArrowUp") || w.Down("b") || !slices.Equal(w.Typed(), []string{"a", "ArrowUp"}) {
				t.Errorf("typed are %v", w.Typed())
			}
			if alpha.Value() != 1 || on.Value() || choice.Value() != 1 || choice.Option() != "b" || !button.Pressed() {
				t.Errorf("the widgets are at %v %v %v %v", alpha.Value(), on.Value(), choice.Option(), button.Pressed())
			}
			continue
		}
		if m := w.Mouse(); m.Left || m.Wheel != 0 || w.Down("a") || !w.Down("ArrowUp") || button.Pressed() || len(w.Typed()) > 0 {
			t.Errorf("what is over remains: %v, typed %v", m, w.Typed())
		}
		break
	}
	titest.Must(t, w.Close())
	if err := w.Show(x); !errors.Is(err, gui.ErrClosed) {
		t.Errorf("a picture for a closed window: %v", err)
	}
}

// TestFormats: what pages get is the picture that package picture makes.
func TestFormats(t *testing.T) {
	w, address := open(t, gui.Config{}, 8, 8)
	v := look(t, address)
	for n, img := range []image.Image{
		&image.Gray{Pix: []byte{1, 2, 9, 3, 4, 9}, Stride: 3, Rect: image.Rect(0, 0, 2, 2)},
		&image.NRGBA{Pix: []byte{1, 2, 3, 4}, Stride: 4, Rect: image.Rect(0, 0, 1, 1)},
		&image.Paletted{Pix: []byte{1, 0}, Stride: 2, Rect: image.Rect(0, 0, 2, 1), Palette: color.Palette{color.Black, color.NRGBA{5, 6, 7, 255}}},
		&image.RGBA{Pix: []byte{9, 8, 7, 255}, Stride: 4, Rect: image.Rect(0, 0, 1, 1)},
		&image.Gray16{Pix: []byte{0x80, 0x80}, Stride: 2, Rect: image.Rect(0, 0, 1, 1)},
	} {
		titest.Must(t, w.ShowImage(img))
		head, pixels := v.picture()
		v.drawn(head[1])
		want := [][]byte{{1, 2, 3, 4}, {1, 2, 3, 4}, {0, 0, 0, 255, 5, 6, 7, 255, 1, 0}, {9, 8, 7, 255}, {0x80, 0x80, 0x80, 255}}[n]
		if format := []uint32{0, 2, 1, 2, 2}[n]; head[0] != format || !slices.Equal(pixels, want) {
			t.Errorf("%T is %v %v, want %v", img, head, pixels, want)
		}
	}
}

// TestRefused: nobody gets anything who is not on this machine, comes from another page, or does not know the address.
func TestRefused(t *testing.T) {
	_, address := open(t, gui.Config{}, 8, 8)
	get := func(url, host, origin string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		titest.Must(t, err)
		if host != "" {
			r.Host = host
		}
		if strings.HasSuffix(url, "events") {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", "websocket")
			r.Header.Set("Sec-WebSocket-Version", "13")
			r.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		titest.Must(t, err)
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 0))
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	root := address[:strings.Index(address[8:], "/")+9]
	for _, c := range []struct {
		url, host, origin string
		want              int
	}{
		{address, "", "", 200}, {address + "window.js", "", "", 200}, {address + "window.css", "localhost:9999", "", 200}, {address, "[::1]:80", "", 200}, {address + "other", "", "", 404},
		{address, "example.com", "", 403}, {address, "127.0.0.1.example.com:80", "", 403}, {root, "", "", 404}, {root + strings.Repeat("0", 32) + "/", "", "", 404}, {strings.TrimSuffix(address, "/"), "", "", 404},
		{address + "events", "", "http://example.com", 403}, {address + "events", "", "null", 403}, {address + "events", "", strings.TrimSuffix(root, "/"), 101}, {root + "events", "", "", 404},
	} {
		if got := get(c.url, c.host, c.origin); got != c.want {
			t.Errorf("%s with host %q, origin %q: status %d, want %d", strings.TrimPrefix(c.url, root), c.host, c.origin, got, c.want)
		}
	}
}

// TestSlowPages: a page that reads nothing costs the memory of three pictures, and neither the program nor other pages wait for it.
func TestSlowPages(t *testing.T) {
	w, address := open(t, gui.Config{}, 1024, 1024)
	look(t, address) // and reads nothing
	fast := look(t, address)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	for n := range 300 {
		img := image.NewNRGBA(image.Rect(0, 0, 1024, 1024)) // 4 MiB
		img.Pix[0] = byte(n)
		titest.Must(t, w.ShowImage(img))
		if n%100 == 0 {
			for head := []uint32{0, 0}; head[1] != uint32(n+1); {
				head, _ = fast.picture()
				fast.drawn(head[1])
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&m)
	if more := int64(m.HeapAlloc) - int64(before); more > 40<<20 {
		t.Errorf("%d MiB more are in use", more>>20)
	}
}

// TestPatience: a page that reads nothing for long is cut off.
func TestPatience(t *testing.T) {
	w, address := open(t, gui.Config{}, 1024, 1024)
	gui.SetPatience(w, 200*time.Millisecond)
	v := look(t, address)
	for range w.Frames(t.Context()) { // ends when the page is gone
		for n := range 2 { // more than the connection holds
			img := image.NewNRGBA(image.Rect(0, 0, 4096, 1024))
			img.Pix[0] = byte(n)
			titest.Must(t, w.ShowImage(img))
		}
	}
	var err error
	for err == nil {
		_, _, err = v.conn.Read(t.Context())
	}
}

// TestNewest: of pictures that a page has no time for it gets the last one.
func TestNewest(t *testing.T) {
	w, address := open(t, gui.Config{}, 4, 4)
	v := look(t, address)
	v.read()
	show := func(n int) {
		titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, n+1, 1))))
	}
	show(0)
	v.picture()
	show(1)
	v.picture()
	for n := range 50 { // two are under way
		show(2 + n)
	}
	v.drawn(1)
	if head, _ := v.picture(); head[2] != 52 {
		t.Errorf("the page gets a picture of %d pixels, want the last one", head[2])
	}
	late := look(t, address)
	if head, _ := late.picture(); head[2] != 52 {
		t.Errorf("a page that comes later gets a picture of %d pixels", head[2])
	}
}

// TestSlowLine: pages on a slow line get JPEG.
func TestSlowLine(t *testing.T) {
	w, address := open(t, gui.Config{}, 64, 64)
	v := look(t, address)
	titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 64, 64))))
	head, _ := v.picture()
	time.Sleep(60 * time.Millisecond)
	v.drawn(head[1])
	eventually(t, "a JPEG", func() bool {
		titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 64, 64))))
		head, pixels := v.picture()
		time.Sleep(60 * time.Millisecond)
		v.drawn(head[1])
		return head[0] == 3 && strings.HasPrefix(string(pixels), "\xff\xd8")
	})
}

// TestEnd: frames begin when somebody looks, go on while a page is loaded anew, and end when it is closed.
func TestEnd(t *testing.T) {
	w, address := open(t, gui.Config{}, 8, 8)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for range w.Frames(ctx) {
		t.Fatal("there is a frame that nobody sees")
	}
	v := look(t, address)
	var left time.Time
	for n := range w.Frames(t.Context()) {
		switch n {
		case 0:
			titest.Must(t, v.conn.CloseNow())
			time.Sleep(100 * time.Millisecond)
		case 1:
			v = look(t, address)
			v.read()
			titest.Must(t, v.conn.Close(websocket.StatusGoingAway, ""))
			left = time.Now()
		default:
			time.Sleep(10 * time.Millisecond)
		}
	}
	if took := time.Since(left); took < 2*time.Second || took > 20*time.Second {
		t.Errorf("frames end %v after the page has gone", took)
	}
	titest.Must(t, w.Err())
}

// TestManyViewers: twenty pages see the same, and what one of them changes.
func TestManyViewers(t *testing.T) {
	w, address := open(t, gui.Config{}, 8, 8)
	s := w.Slider("a", 0, 0, 10)
	all := make([]*viewer, 20)
	for i := range all {
		all[i] = look(t, address)
	}
	all[7].send(`{"kind":"widget","widget":0,"value":4}`)
	for n := range w.Frames(t.Context()) {
		titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 5, n+1))))
		if s.Value() == 4 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for i, v := range all {
		eventually(t, fmt.Sprintf("that page %d sees the slider", i), func() bool {
			text, head, _ := v.read()
			if head != nil {
				v.drawn(head[1])
			}
			return strings.Contains(string(text["widget"]), `"value":4`)
		})
	}
}

// TestAgain: the next window of the same title is where the last one was, so that pages find it; two at a time are apart.
func TestAgain(t *testing.T) {
	w, address := open(t, gui.Config{}, 8, 8)
	other, err := gui.Config{Quiet: true}.Open(t.Name(), 8, 8)
	titest.Must(t, err)
	apart := gui.Address(other)
	titest.Must(t, other.Close())
	if apart == address {
		t.Error("two windows have one address")
	}
	titest.Must(t, w.Close())
	again, err := gui.Config{Quiet: true}.Open(t.Name(), 8, 8)
	titest.Must(t, err)
	defer again.Close()
	if got := gui.Address(again); got != apart {
		t.Errorf("the address is %s, and was %s", got, apart)
	}
}

// TestBadWindows: each mistake is an error that names it.
func TestBadWindows(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	rt := titest.New(t, ti.Config{})
	_, taken := open(t, gui.Config{}, 8, 8)
	taken = strings.TrimPrefix(taken[:strings.LastIndex(strings.TrimSuffix(taken, "/"), "/")], "http://")
	window := func(do func(w *gui.Window) error) func() error {
		return func() error {
			w, err := gui.Config{Quiet: true}.Open("w", 8, 8)
			if err != nil {
				return err
			}
			defer w.Close()
			if err := do(w); err != nil {
				return err
			}
			return w.Err()
		}
	}
	opening := func(c gui.Config, env ...string) func() error {
		return func() error {
			for i := 0; i < len(env); i += 2 {
				t.Setenv(env[i], env[i+1])
				defer os.Unsetenv(env[i])
			}
			w, err := c.Open("w", 8, 8)
			if err == nil {
				_ = w.Close()
			}
			return err
		}
	}
	bad := t.TempDir() + "/bad"
	titest.Must(t, os.WriteFile(bad, []byte("{\"kind\":\"move\"}\n{\"kind\":\"jump\"}\n"), 0o600))
	for want, do := range map[string]func() error{
		"0×8":                     func() error { _, err := gui.Open("w", 0, 8); return err },
		"Config.FPS is -1":        opening(gui.Config{FPS: -1}),
		"address already in use":  opening(gui.Config{Listen: taken}),
		"no page can be served":   opening(gui.Config{Listen: "nowhere"}),
		`TI_GUI is "film"`:        opening(gui.Config{}, "TI_GUI", "film"),
		"nothing is recorded":     opening(gui.Config{}, "TI_GUI_INPUT", bad),
		`no kind of event "jump"`: opening(gui.Config{}, "TI_GUI", "record:"+t.TempDir()+"/a.gif", "TI_GUI_INPUT", bad),
		"no such file":            opening(gui.Config{}, "TI_GUI", "record:"+t.TempDir()+"/a.gif", "TI_GUI_INPUT", bad+"2"),
		".avi":                    opening(gui.Config{}, "TI_GUI", "record:a.avi"),
		"not placed":              window(func(w *gui.Window) error { return w.Show(&ti.Field[float32]{}) }),
		"needs two axes":          window(func(w *gui.Window) error { return w.Show(ti.NewField[float32](rt, 4)) }),
		"nil field":               window(func(w *gui.Window) error { return w.Show(nil) }),
		"no picture":              window(func(w *gui.Window) error { return w.ShowImage(nil) }),
		"0×0 pixels":              window(func(w *gui.Window) error { return w.ShowImage(image.NewGray(image.Rectangle{})) }),
		"goes from 1 to 1":        window(func(w *gui.Window) error { w.Slider("s", 0, 1, 1); return nil }),
		"no options":              window(func(w *gui.Window) error { w.Choice("c"); return nil }),
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}

// TestPlot: a plot of many numbers keeps its ends and stays small, and one of none is fine.
func TestPlot(t *testing.T) {
	w, address := open(t, gui.Config{}, 8, 8)
	p := w.Plot("loss")
	for i := range 100_000 {
		p.Add(float64(i))
	}
	p.Add(0 / func() float64 { return 0 }())
	v := look(t, address)
	v.read()
	text, _, _ := v.read()
	var got struct{ Points [][2]float64 }
	titest.Must(t, json.Unmarshal(text["widget"], &got))
	n := len(got.Points)
	if n < 1000 || n >= 2048 || got.Points[0] != [2]float64{} || got.Points[n-1][0] < 99_000 || got.Points[n-1][0] != got.Points[n-1][1] {
		t.Errorf("%d points, from %v to %v", n, got.Points[0], got.Points[n-1])
	}
}

// TestPositions: the mouse is at a place of the field, whichever way its axes run.
func TestPositions(t *testing.T) {
	w, address := open(t, gui.Config{Picture: picture.Config{XY: true}, FPS: 100}, 8, 8)
	v := look(t, address)
	v.send(`{"kind":"press","button":2,"x":0.25,"y":2}`)
	began, frames := time.Now(), 0
	for n := range w.Frames(t.Context()) {
		if frames = n + 1; w.Mouse().Right {
			break
		}
	}
	if m := w.Mouse(); m.Pos != (ti.Vec2{0.25, 0}) {
		t.Errorf("the mouse is at %v", m.Pos)
	}
	if most := 2 + int(time.Since(began)/(10*time.Millisecond)); frames > most {
		t.Errorf("%d frames, and with FPS there are %d at most", frames, most)
	}
}
