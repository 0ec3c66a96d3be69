//go:build !js

package gui_test

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/browsertest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestBrowser: a page shows what the program shows, to the byte, and the program sees what people do with mouse, keys and widgets; when the program has gone, the page says so, and
// it finds the next one.
func TestBrowser(t *testing.T) {
	ctx := browsertest.Start(t, 900, 700)
	rt := titest.New(t, ti.Config{})
	x := ti.NewField[[3]float32](rt, 3, 5)
	for i := range 15 {
		x.Set([3]float32{float32(i) / 15, 1 - float32(i)/15, 0.5}, i/5, i%5)
	}
	w, address := open(t, gui.Config{}, 500, 300)
	alpha, on, choice, button := w.Slider("alpha", 0.5, 0, 1), w.Checkbox("on", false), w.Choice("kind", "a", "b"), w.Button("again")
	w.Text("steps").Set(12)
	loss := w.Plot("loss")
	for i := range 10 {
		loss.Add(1 / float64(1+i))
	}
	browsertest.Open(t, ctx, address)
	browsertest.Ask(t, ctx, `(async () => {
			const c = document.querySelector("canvas.screen"), wait = () => new Promise((f) => setTimeout(f, 50));
			while (c.width !== 5) await wait();
			await wait(); // until it has its place
			const r = c.getBoundingClientRect();
			const at = {clientX: r.left + r.width * 0.5, clientY: r.top + r.height * 0.25, bubbles: true, pointerId: 1, isPrimary: true, button: 0};
			c.setPointerCapture = () => {};
			c.dispatchEvent(new PointerEvent("pointermove", at));
			c.dispatchEvent(new PointerEvent("pointerdown", at));
			document.body.dispatchEvent(new KeyboardEvent("keydown", {key: " ", code: "Space", bubbles: true}));
			const [slider, box, choice, button] = [...document.querySelectorAll(".widget input, .widget select, .widget button")];
			slider.value = 0.25; slider.dispatchEvent(new Event("input"));
			box.click();
			choice.selectedIndex = 1; choice.dispatchEvent(new Event("change"));
			button.click();
		})(), ""`)
	heard := map[string]bool{}
	until, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for range w.Frames(until) {
		titest.Must(t, w.Show(x))
		titest.Must(t, w.Sync(t.Context()))
		if m := w.Mouse(); m.Left && m.Pos[1] > 0.49 && m.Pos[1] < 0.51 && m.Pos[0] > 0.2 && m.Pos[0] < 0.3 {
			heard["mouse"] = true
		}
		heard["key"] = heard["key"] || w.Down("Space")
		heard["slider"], heard["box"], heard["choice"] = alpha.Value() == 0.25, on.Value(), choice.Option() == "b"
		heard["button"] = heard["button"] || button.Pressed()
		missing := false
		for _, what := range []string{"mouse", "key", "slider", "box", "choice", "button"} {
			missing = missing || !heard[what]
		}
		if !missing {
			break
		}
	}
	if until.Err() != nil {
		t.Fatalf("the program has heard %v, and the mouse is at %v", heard, w.Mouse())
	}
	got := browsertest.Ask(t, ctx, `(() => { const c = document.querySelector("canvas.screen"); return [...c.getContext("2d").getImageData(0, 0, 5, 3).data].join() })()`)
	if want := texts(x); got != want {
		t.Errorf("the page has %s, want %s", got, want)
	}
	if says := browsertest.Ask(t, ctx, `[...document.querySelectorAll(".widget")].map((e) => e.textContent).join("|")`); !strings.Contains(says, "steps12") || !strings.Contains(says, "loss: 0.1000") {
		t.Errorf("the widgets say %q", says)
	}
	titest.Must(t, w.Close())
	eventually(t, "that the page says so", func() bool {
		return strings.Contains(browsertest.Ask(t, ctx, `document.querySelector(".status").textContent`), "closed the window")
	})
	again, err := gui.Config{Quiet: true, Listen: strings.Split(address, "/")[2]}.Open(t.Name(), 500, 300)
	titest.Must(t, err)
	defer again.Close()
	eventually(t, "that the page finds the next window", func() bool {
		return browsertest.Ask(t, ctx, `document.querySelector(".status").textContent + document.title`) == t.Name()
	})
	for n := range again.Frames(until) {
		titest.Must(t, again.ShowImage(image.NewGray(image.Rect(0, 0, 512, 512))))
		titest.Must(t, again.Sync(t.Context()))
		if n == 3 {
			break
		}
	}
}

// texts are the bytes of a picture as the page gives them.
func texts(x *ti.Field[[3]float32]) string {
	var all []string
	for i := range 15 {
		v := x.At(i/5, i%5)
		for _, c := range v {
			all = append(all, strconv.Itoa(int(uint8(255*c+0.5))))
		}
		all = append(all, "255")
	}
	return strings.Join(all, ",")
}

// BenchmarkFrame is a frame from its drawing to the page's word that it is drawn, in a browser: a picture of 512×512 pixels, or 20,000 points in space. p50-ms is
// what half of the frames take at most, p95-ms what all but a twentieth do.
func BenchmarkFrame(b *testing.B) {
	ctx := browsertest.Start(b, 900, 700)
	rt := titest.New(b, ti.Config{})
	pixels, points := ti.NewField[float32](rt, 512, 512), ti.NewField[ti.Vec3](rt, 20_000)
	for i := range points.Len() {
		points.Set(ti.Vec3{float32(i % 27), float32(i / 27 % 27), float32(i / 729)}, i)
	}
	for _, c := range []struct {
		name string
		draw func(w *gui.Window) error
	}{
		{"picture", func(w *gui.Window) error { return w.Show(pixels) }},
		{"points", func(w *gui.Window) error { return w.Points(points, gui.Points{Radius: 0.1}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.Setenv("XDG_CACHE_HOME", b.TempDir())
			w, err := gui.Config{Quiet: true}.Open(b.Name(), 512, 512)
			titest.Must(b, err)
			defer w.Close()
			browsertest.Open(b, ctx, gui.Address(w))
			var took []time.Duration
			for range w.Frames(b.Context()) {
				for b.Loop() {
					began := time.Now()
					titest.Must(b, c.draw(w))
					titest.Must(b, w.Sync(b.Context()))
					took = append(took, time.Since(began))
				}
				break
			}
			slices.Sort(took)
			for _, percent := range []int{50, 95} {
				b.ReportMetric(float64(took[(len(took)-1)*percent/100])/1e6, fmt.Sprintf("p%d-ms", percent))
			}
		})
	}
}

// BenchmarkBeside is what a window costs a simulation on one thread, which shows what it has 60 times a second: lost-% is by how much fewer steps it makes in a second than without a window, and drawn/s how many
// pictures the page draws.
func BenchmarkBeside(b *testing.B) {
	ctx := browsertest.Start(b, 900, 700)
	rt := titest.New(b, ti.Config{Threads: 1})
	x := ti.NewField[float32](rt, 512, 512)
	var h struct {
		X    *ti.Field[float32]
		Step func(t float32) error
	}
	h.X = x
	titest.Must(b, rt.Load(`package p

var X field[f32, D2]

func Step(t f32) {
	for i, j := range X {
		z := (vec2(i, j) - 256) / 160
		n := 0
		for n < 60 && length2(z) < 4 {
			z = vec2(z.x*z.x-z.y*z.y, 2*z.x*z.y) + 0.7885*vec2(cos(t), sin(t))
			n++
		}
		X[i][j] = n / 60.0
	}
}
`, &h))
	w, err := gui.Config{Quiet: true}.Open(b.Name(), 512, 512)
	titest.Must(b, err)
	defer w.Close()
	browsertest.Open(b, ctx, gui.Address(w))
	browsertest.Ask(b, ctx, `(() => {
		globalThis.count = 0;
		new MutationObserver((changes) => { count += changes.length; }).observe(document.getElementById("ti-window"), {attributes: true, attributeFilter: ["data-drawn"]});
		return "";
	})()`)
	const part = 2 * time.Second
	steps := 0
	rate := func(show func() error) float64 {
		n, began := 0, time.Now()
		for ; time.Since(began) < part; n++ {
			titest.Must(b, h.Step(0.01*float32(steps)))
			titest.Must(b, show())
			steps++
		}
		return float64(n) / time.Since(began).Seconds()
	}
	var alone, beside []float64
	drawn := 0.0
	for b.Loop() { // in turn, since the machine has others
		alone = append(alone, rate(func() error { return nil }))
		before := number(b, ctx)
		var shown time.Time
		beside = append(beside, rate(func() error {
			if time.Since(shown) < time.Second/60 {
				return nil
			}
			shown = time.Now()
			return w.Show(x)
		}))
		drawn += number(b, ctx) - before
	}
	slices.Sort(alone)
	slices.Sort(beside)
	b.ReportMetric(100*(1-beside[len(beside)/2]/alone[len(alone)/2]), "lost-%")
	b.ReportMetric(drawn/(float64(b.N)*part.Seconds()), "drawn/s")
	b.ReportMetric(alone[len(alone)/2], "steps/s")
}

// number is how many pictures the page has drawn.
func number(b *testing.B, ctx context.Context) float64 {
	x, err := strconv.ParseFloat(browsertest.Ask(b, ctx, `String(count)`), 64)
	titest.Must(b, err)
	return x
}
