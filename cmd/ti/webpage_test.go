package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/draw"
	"image/gif"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/browsertest"
	"github.com/gotaichi/ti/internal/randtest"
)

var allPages = randtest.Long("pages", "run more programs in a browser")

// TestPages runs programs in a browser: the last picture is that of the same program on one thread outside of it, to the bit.
func TestPages(t *testing.T) {
	programs := []string{"julia"}
	if *allPages {
		programs = append(programs, "mpm88", "stablefluid")
	}
	ctx := browsertest.Start(t, 800, 600)
	for _, name := range programs {
		t.Run(name, func(t *testing.T) {
			got := inPage(t, ctx, "../../examples/"+name, "-short")
			want := outside(t, name)
			if got.Bounds() != want.Bounds() || !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("the picture in the page, %v, is not that outside, %v", got.Bounds(), want.Bounds())
			}
		})
	}
}

// TestPageFails: a program that fails says so in the page.
func TestPageFails(t *testing.T) {
	ctx := browsertest.Start(t, 800, 600)
	dir := webPage(t, "../../examples/julia")
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer srv.Close()
	if state := load(t, ctx, srv.URL+"/?arg=-nosuchflag"); state != "failed" {
		t.Errorf("the page is %s", state)
	}
	if text := browsertest.Ask(t, ctx, `document.getElementById("ti-output").textContent`); !strings.Contains(text, "-nosuchflag") {
		t.Errorf("the page shows %q", text)
	}
}

// TestPageErrors has the command refuse what is no program.
func TestPageErrors(t *testing.T) {
	for program, says := range map[string]string{"../../picture": "is no program", "./nosuch": "is no Go package"} {
		var out, err bytes.Buffer
		if status := run([]string{"page", "-o", t.TempDir(), program}, &stdio{in: strings.NewReader(""), out: &out, err: &err}); status != 1 || !strings.Contains(err.String(), says) {
			t.Errorf("%s: status %d, %s", program, status, &err)
		}
	}
}

// TestPageWindow: a window is a part of the page. It draws one frame after the other, and the program hears its slider.
func TestPageWindow(t *testing.T) {
	ctx := browsertest.Start(t, 800, 600)
	srv := httptest.NewServer(http.FileServer(http.Dir(webPage(t, "../../examples/julia"))))
	defer srv.Close()
	browsertest.Open(t, ctx, srv.URL+"/?arg=-window")
	angle := func() string {
		return browsertest.Ask(t, ctx, `[...document.querySelectorAll("#ti-window .widget")].map((e) => e.textContent).filter((s) => s.startsWith("angle")).join()`)
	}
	until := func(what string, holds func() bool) {
		t.Helper()
		for start := time.Now(); !holds(); time.Sleep(100 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatalf("%s does not come true: %s", what, browsertest.Ask(t, ctx, `document.body.textContent`))
			}
		}
	}
	until("that pictures are drawn", func() bool {
		return browsertest.Ask(t, ctx, `String(+document.getElementById("ti-window")?.dataset.drawn > 5)`) == "true"
	})
	browsertest.Ask(t, ctx, `(() => { const s = document.querySelector("#ti-window input[type=range]"); s.value = 0; s.dispatchEvent(new Event("input")); return "" })()`)
	until("that the slider stops it", func() bool {
		before := angle()
		time.Sleep(300 * time.Millisecond)
		return before != "" && angle() == before
	})
}

// TestPageShapes: points in space are a part of the page, too, and kernels of the window alone run in it.
func TestPageShapes(t *testing.T) {
	ctx := browsertest.Start(t, 800, 600)
	srv := httptest.NewServer(http.FileServer(http.Dir(webPage(t, "../../examples/mpm88"))))
	defer srv.Close()
	browsertest.Open(t, ctx, srv.URL+"/?arg=-window")
	for start := time.Now(); browsertest.Ask(t, ctx, `String(+document.getElementById("ti-window")?.dataset.drawn > 0)`) != "true"; time.Sleep(100 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("no picture is drawn: %s", browsertest.Ask(t, ctx, `document.body.textContent`))
		}
	}
	browsertest.Ask(t, ctx, `(() => { const s = document.querySelector("#ti-window input[type=range]"); s.value = 0; s.dispatchEvent(new Event("input")); return "" })()`) // so that the page has time
	img, water := browsertest.Picture(t, ctx, "canvas.shapes"), 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if _, _, b, _ := img.At(x, y).RGBA(); b > 0x8000 {
				water++
			}
		}
	}
	if all := img.Bounds().Dx() * img.Bounds().Dy(); water < all/20 || water > all/2 {
		t.Errorf("%d of %d pixels are of the fluid", water, all)
	}
}

// webPage writes the page of a program, and returns its folder.
func webPage(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	var out, err bytes.Buffer
	if status := run([]string{"page", "-o", dir, program}, &stdio{in: strings.NewReader(""), out: &out, err: &err}); status != 0 {
		t.Fatalf("status %d: %s", status, &err)
	}
	return dir
}

// load opens a page and waits until its program has ended.
func load(t *testing.T, ctx context.Context, url string) (state string) {
	t.Helper()
	browsertest.Open(t, ctx, url)
	for start := time.Now(); time.Since(start) < 3*time.Minute; time.Sleep(100 * time.Millisecond) {
		if state = browsertest.Ask(t, ctx, `document.documentElement.dataset.state`); state == "done" || state == "failed" {
			return state
		}
	}
	t.Fatalf("the page is %s for minutes", state)
	return ""
}

// inPage returns the picture that a program leaves on its canvas.
func inPage(t *testing.T, ctx context.Context, program, arg string) *image.NRGBA {
	t.Helper()
	srv := httptest.NewServer(http.FileServer(http.Dir(webPage(t, program))))
	defer srv.Close()
	if state := load(t, ctx, srv.URL+"/?arg="+arg); state != "done" {
		t.Fatalf("the page is %s: %s", state, browsertest.Ask(t, ctx, `document.body.textContent`))
	}
	data, found := strings.CutPrefix(browsertest.Ask(t, ctx, `document.getElementById("ti-canvas").toDataURL()`), "data:image/png;base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || !found {
		t.Fatal("the canvas gives no picture", err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return pixelsOf(img.Bounds(), img)
}

// outside returns the last picture of the film that an example makes as WebAssembly on one thread.
func outside(t *testing.T, name string) *image.NRGBA {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "../../examples/"+name, "-short", "-out", dir)
	cmd.Env = append(os.Environ(), "TI_ARCH=wasm", "TI_THREADS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, name+".gif"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	film, err := gif.DecodeAll(f)
	if err != nil {
		t.Fatal(err)
	}
	last := image.NewNRGBA(image.Rect(0, 0, film.Config.Width, film.Config.Height))
	for _, frame := range film.Image { // each is drawn over those before it
		draw.Draw(last, frame.Bounds(), frame, frame.Bounds().Min, draw.Over)
	}
	return last
}

// pixelsOf is a picture without a format of its own.
func pixelsOf(bounds image.Rectangle, img image.Image) *image.NRGBA {
	out := image.NewNRGBA(bounds)
	draw.Draw(out, bounds, img, bounds.Min, draw.Src)
	return out
}
