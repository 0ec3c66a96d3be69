//go:build !js

package gui_test

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/browsertest"
	"github.com/gotaichi/ti/internal/titest"
)

// status is what a page says above the window.
func status(t *testing.T, ctx context.Context) string {
	return browsertest.Ask(t, ctx, `document.querySelector(".status").textContent`)
}

// TestNoWebGL: a browser without WebGL 2 says so, and shows the rest.
func TestNoWebGL(t *testing.T) {
	ctx := browsertest.Start(t, 400, 300)
	rt := titest.New(t, ti.Config{})
	at := ti.NewField[ti.Vec3](rt, 1)
	w, address := open(t, gui.Config{}, 100, 100)
	browsertest.Open(t, ctx, address)
	browsertest.Ask(t, ctx, `(() => {
		const of = HTMLCanvasElement.prototype.getContext;
		HTMLCanvasElement.prototype.getContext = function(kind, ...more) { return kind === "webgl2" ? null : of.call(this, kind, ...more); };
		return "";
	})()`)
	for n := range w.Frames(t.Context()) {
		if n == 2 {
			break
		}
		img := image.NewGray(image.Rect(0, 0, 2, 1))
		img.Pix[1] = byte(70 + n)
		titest.Must(t, w.ShowImage(img))
		titest.Must(t, w.Points(at, gui.Points{}))
		titest.Must(t, w.Sync(t.Context()))
		if got := status(t, ctx); !strings.Contains(got, "has no WebGL 2") {
			t.Errorf("the page says %q", got)
		}
		if got := browsertest.Ask(t, ctx, `String(document.querySelector("canvas.screen").getContext("2d").getImageData(1, 0, 1, 1).data[0])`); got != fmt.Sprint(70+n) {
			t.Errorf("the pixel is %s", got)
		}
	}
}

// TestOddPages: a window without a size goes on, and a context that the browser has lost comes back with what was shown.
func TestOddPages(t *testing.T) {
	ctx := browsertest.Start(t, 400, 300)
	rt := titest.New(t, ti.Config{})
	m := newModel(rt)
	w, address := open(t, shapesConfig, 200, 150)
	browsertest.Open(t, ctx, address)
	for n := range w.Frames(t.Context()) {
		switch n {
		case 1:
			browsertest.Ask(t, ctx, `document.querySelector(".picture").style = "flex: 0 0 0; height: 0; padding: 0", ""`)
		case 2:
			browsertest.Ask(t, ctx, `document.getElementById("ti-window").style.display = "none", ""`)
		case 3:
			browsertest.Ask(t, ctx, `document.getElementById("ti-window").style.display = "", document.querySelector(".picture").style = "", ""`)
		}
		titest.Must(t, m.draw(w, n%2))
		titest.Must(t, w.Sync(t.Context()))
		if n == 3 {
			break
		}
	}
	eventually(t, "that the window has its size again", func() bool {
		return browsertest.Ask(t, ctx, `String(document.querySelector("canvas.shapes").width > 100)`) == "true"
	})
	before := browsertest.Picture(t, ctx, "canvas.shapes")
	browsertest.Ask(t, ctx, `(() => { globalThis.lost = document.querySelector("canvas.shapes").getContext("webgl2").getExtension("WEBGL_lose_context"); lost.loseContext(); return "" })()`)
	titest.Must(t, m.draw(w, 1))
	titest.Must(t, w.Sync(t.Context())) // while it is lost
	browsertest.Ask(t, ctx, `setTimeout(() => lost.restoreContext(), 50), ""`)
	eventually(t, "that the picture comes back", func() bool {
		mean, _ := differ(before, browsertest.Picture(t, ctx, "canvas.shapes"))
		return mean < 0.1
	})
	if got := status(t, ctx); got != "" {
		t.Errorf("the page says %q", got)
	}
}

// windowOf is what a program does in TestKilled.
const windowOf = "TI_TEST_WINDOW"

// TestKilled: when the program is killed, the page says so, and it finds the program when that is started again.
func TestKilled(t *testing.T) {
	if os.Getenv(windowOf) != "" {
		w, err := gui.Config{Quiet: true, Unseen: true}.Open("killed", 8, 8)
		titest.Must(t, err)
		for n := range w.Frames(t.Context()) {
			titest.Must(t, w.ShowImage(image.NewGray(image.Rect(0, 0, 1+n%8, 8))))
			time.Sleep(5 * time.Millisecond)
		}
		return
	}
	ctx := browsertest.Start(t, 400, 300)
	cache := t.TempDir()
	start := func() (address string, kill func()) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), windowOf+"=1", "XDG_CACHE_HOME="+cache)
		out, err := cmd.StderrPipe()
		titest.Must(t, err)
		titest.Must(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		titest.Must(t, err)
		_, address, _ = strings.Cut(strings.TrimSpace(line), ": open ")
		return address, func() { _, _ = cmd.Process.Kill(), cmd.Wait() }
	}
	drawn := func() bool {
		return browsertest.Ask(t, ctx, `String(+document.getElementById("ti-window").dataset.drawn > 2)`) == "true"
	}
	address, kill := start()
	browsertest.Open(t, ctx, address)
	eventually(t, "that the page draws", drawn)
	kill()
	eventually(t, "that the page says so", func() bool { return strings.Contains(status(t, ctx), "does not answer. This page waits") })
	browsertest.Ask(t, ctx, `document.getElementById("ti-window").dataset.drawn = 0, ""`)
	again, kill := start()
	defer kill()
	if again != address {
		t.Errorf("the address was %s, and is %s", address, again)
	}
	eventually(t, "that the page draws again", func() bool { return drawn() && status(t, ctx) == "" })
}
