//go:build !js

package gui_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/browsertest"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/picture"
)

// differ is the mean difference of the channels of two pictures, and the part of the pixels in which one differs by more than a fifth.
func differ(a, b image.Image) (mean, much float64) {
	size := a.Bounds().Size()
	if size != b.Bounds().Size() {
		return 255, 1
	}
	for y := range size.Y {
		for x := range size.X {
			r0, g0, b0, _ := a.At(x, y).RGBA()
			r1, g1, b1, _ := b.At(x, y).RGBA()
			most := 0.0
			for _, d := range []int64{int64(r0) - int64(r1), int64(g0) - int64(g1), int64(b0) - int64(b1)} {
				d := float64(max(d, -d)) / 257
				mean += d / 3
				most = max(most, d)
			}
			if most > 51 {
				much++
			}
		}
	}
	n := float64(size.X * size.Y)
	return mean / n, much / n
}

// TestShapesInBrowser: WebGL draws the picture that the recording of a window has, also after drags.
func TestShapesInBrowser(t *testing.T) {
	const width, height = 320, 240
	ctx := browsertest.Start(t, 700, 500)
	want := recordModel(t, width, height)
	rt := titest.New(t, ti.Config{})
	m := newModel(rt)
	w, address := open(t, shapesConfig, width, height)
	titest.Must(t, w.Camera(gui.Camera{Eye: ti.Vec3{0.6, 1.2, 3}, Target: ti.Vec3{0, 0.3, 0}}))
	browsertest.Open(t, ctx, address)
	browsertest.Ask(t, ctx, `document.querySelector(".picture").style = "flex: 0 0 320px; height: 240px; margin: 20px", ""`)
	until, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for n := range w.Frames(until) {
		titest.Must(t, m.draw(w, n))
		titest.Must(t, w.Sync(until))
		loose := 1.0
		if n > 0 {
			events := drags[n-1]
			if n == len(drags) { // two fingers are a wheel, too
				events, loose = pinch, 4 // the fingers do not move at once, so that the middle stays within a pixel or two
			}
			browsertest.Ask(t, ctx, dragging(events, n))
			eventually(t, "that the camera moves", func() bool { return browsertest.Ask(t, ctx, `document.body.dataset.moved`) == strconv.Itoa(n) })
		}
		got := browsertest.Picture(t, ctx, "canvas.shapes")
		mean, much := differ(want[n], got)
		t.Logf("frame %d: the mean difference is %.2f, and %.2f%% of the pixels differ much", n, mean, 100*much)
		keep(t, fmt.Sprintf("%d-want.png", n), want[n])
		keep(t, fmt.Sprintf("%d-got.png", n), got)
		if mean > 1*loose || much > 0.006*loose {
			t.Errorf("frame %d: the mean difference is %.2f, and %.2f%% of the pixels differ much", n, mean, 100*much)
		}
		if n == len(drags) {
			break
		}
	}
	titest.Must(t, until.Err())
}

// pinch is what two fingers do that have the camera come as near as the last drag has it: they end 0.9 to the power of -3 as far from each other.
var pinch = []string{`"kind":"press","x":0.45,"y":0.5`, `"kind":"press","x":0.55,"y":0.5,"finger":2`, `"kind":"move","x":0.4314129,"y":0.5`, `"kind":"move","x":0.5685871,"y":0.5,"finger":2`}

// dragging is a script that does what a recording does in front of a frame.
func dragging(events []string, frame int) string {
	return `document.body.dataset.moved = 0, (async () => {
		const c = document.querySelector("canvas.screen"), r = c.getBoundingClientRect();
		c.setPointerCapture = () => {};
		for (const e of [{` + strings.Join(events, "},{") + `}]) {
			if (!e.kind) continue;
			const at = {clientX: r.left + r.width * e.x, clientY: r.top + r.height * e.y, bubbles: true, pointerId: e.finger ?? 1, isPrimary: !e.finger, button: e.button ?? 0};
			if (e.kind.startsWith("key")) c.dispatchEvent(new KeyboardEvent(e.kind, {key: e.key, code: e.key, bubbles: true, cancelable: true}));
			else if (e.kind === "wheel") c.dispatchEvent(new WheelEvent("wheel", {deltaY: -100 * e.wheel, cancelable: true}));
			else c.dispatchEvent(new PointerEvent({press: "pointerdown", move: "pointermove", release: "pointerup"}[e.kind], at));
		}
		await new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)));
		document.body.dataset.moved = ` + strconv.Itoa(frame) + `;
	})(), ""`
}

// keep writes a picture to the folder that TI_TEST_PICTURES names, for people to look at.
func keep(t *testing.T, name string, img image.Image) {
	if dir := os.Getenv("TI_TEST_PICTURES"); dir != "" {
		titest.Must(t, picture.SaveImage(filepath.Join(dir, name), img))
	}
}
