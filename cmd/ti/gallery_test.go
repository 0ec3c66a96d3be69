package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/browsertest"
	"github.com/gotaichi/ti/internal/gallery"
	"github.com/gotaichi/ti/internal/guitest"
	"github.com/gotaichi/ti/internal/randtest"
)

// A playgroundPage is the playground in a browser.
type playgroundPage struct {
	t       *testing.T
	ctx     context.Context
	dir     string // with the files
	address string
}

// openSite writes the site, serves it, and starts a browser.
func openSite(t *testing.T, width, height int) *playgroundPage {
	ctx := browsertest.Start(t, width, height)
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if status := run([]string{"site", dir}, &stdio{in: strings.NewReader(""), out: &out, err: &errs}); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	srv := httptest.NewServer(gallery.Handler(dir))
	t.Cleanup(srv.Close)
	return &playgroundPage{t, ctx, dir, srv.URL + "/"}
}

// load opens a page anew.
func (p *playgroundPage) load(page string) {
	browsertest.Open(p.t, p.ctx, "about:blank")
	browsertest.Open(p.t, p.ctx, p.address+page)
}

func (p *playgroundPage) ask(expression string) string {
	return browsertest.Ask(p.t, p.ctx, expression)
}

// until waits until an expression has a value.
func (p *playgroundPage) until(expression, want string) {
	p.t.Helper()
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		got := p.ask(expression)
		if got == want {
			return
		}
		if time.Since(start) > time.Minute {
			p.t.Fatalf("%s is %q, not %q; the page says: %s", expression, got, want, p.ask(`document.body.innerText`))
		}
	}
}

const (
	stateOf  = `document.documentElement.dataset.state ?? ""`
	statusOf = `document.getElementById("status").textContent`
)

// click presses a button.
func (p *playgroundPage) click(id string) {
	p.ask(`(document.getElementById("` + id + `").click(), "")`)
}

// paste adds a text behind what an editor shows.
func (p *playgroundPage) paste(editor, text string) {
	b, _ := json.Marshal(text)
	p.ask(`(() => { const e = document.querySelector("#` + editor + ` .cm-content"); e.focus(); getSelection().selectAllChildren(e); getSelection().collapseToEnd(); document.execCommand("insertText", false, ` + string(b) + `); return "" })()`)
}

// link is the address of the playground with a program.
func link(source, scene string) string {
	l, err := gallery.Link(source, scene)
	if err != nil {
		panic(err)
	}
	return "play.html#" + l
}

// altered is a link with a change in what it holds.
func altered(link string, change func([]byte) []byte) string {
	at, packed, _ := strings.Cut(link, "#p=")
	data, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		panic(err)
	}
	return at + "#p=" + base64.RawURLEncoding.EncodeToString(change(data))
}

// later says that the link was made by a later version of the page.
func later(data []byte) []byte {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	w.Write(bytes.Replace(text, []byte(`"version":1`), []byte(`"version":2`), 1))
	w.Close()
	return b.Bytes()
}

const (
	plainKernel = "package k\n\nvar X field[f32, D2]\n\nfunc Fill(x f32) {\n\tfor p := range X {\n\t\tX[p] = x\n\t}\n}\n"
	plainScene  = "bind X=8x8\ncall Fill(0.5)\nshow X\n"
)

// TestSite plays the gallery in a browser.
func TestSite(t *testing.T) {
	p := openSite(t, 1200, 800)
	t.Run("scenes", p.scenes)
	t.Run("drag", p.drag)
	t.Run("mistakes", p.mistakes)
	t.Run("sources", p.sources)
	t.Run("endless", p.endless)
	t.Run("links", p.links)
	t.Run("compiler", p.compiler)
	t.Run("large", p.large)
	t.Run("sizes", p.sizes)
	t.Run("again", p.again)
	t.Run("old", p.old)
	t.Run("documents", p.documents)
	t.Run("gallery", func(t *testing.T) {
		p.t = t
		p.load("index.html")
		want := fmt.Sprint(len(sceneFiles(t)))
		p.until(`String(document.querySelectorAll("li a[href^='play.html#scene=']").length)`, want)
		p.until(`String([...document.querySelectorAll("li img")].filter((i) => i.loading === "lazy").length > 5)`, "true")
	})
}

func sceneFiles(t *testing.T) []string {
	files, err := filepath.Glob("../../examples/*/*.scene")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenes", err)
	}
	return files
}

// scenes compares what scenes show in the page with what they show outside, by libLLVM where there is one.
func (p *playgroundPage) scenes(t *testing.T) {
	p.t = t
	frames := 3
	for _, file := range sceneFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".scene")
		if !randtest.All() && !slices.Contains([]string{"billiards", "julia", "mpm3d", "mpm88", "wave"}, name) {
			continue
		}
		p.load(fmt.Sprintf("play.html#scene=%s&frames=%d", name, frames))
		p.until(stateOf, "done")
		p.until(`document.getElementById("ti-window").dataset.drawn`, fmt.Sprint(frames))
		want, most := recorded(t, file, frames), 1e-3
		var got image.Image
		if p.ask(`String(document.querySelector("#ti-window canvas.shapes").hidden)`) == "true" {
			got = p.picture()
		} else { // whose edges WebGL draws a little otherwise
			got, most = p.shapes(want.Bounds().Size()), 5e-3
		}
		if off := difference(got, want); off > most {
			t.Errorf("%s: the picture in the page differs by %v of the brightest from that outside", name, off)
		}
	}
}

// shapes is what the window shows that has points, lines or triangles, once it has a size.
func (p *playgroundPage) shapes(size image.Point) image.Image {
	p.ask(fmt.Sprintf(`(document.querySelector("#ti-window .picture").style = "position: fixed; z-index: 1000; left: 0; top: 0; width: %dpx; height: %dpx", "")`, size.X, size.Y))
	p.until(`String(document.querySelector("#ti-window canvas.shapes").width)`, fmt.Sprint(size.X))
	return browsertest.Picture(p.t, p.ctx, "#ti-window canvas.shapes")
}

// drag: a drag brings smoke to where the mouse is.
func (p *playgroundPage) drag(t *testing.T) {
	p.t = t
	p.load("play.html#scene=stablefluid")
	p.until(`String(document.getElementById("ti-window").dataset.drawn > 1)`, "true")
	p.pointer("pointerdown", 0.3, 0.3)
	p.pointer("pointermove", 0.32, 0.3)
	p.until(`(() => {
		const c = document.querySelector("#ti-window canvas.screen"), red = (x, y) => c.getContext("2d").getImageData(x * c.width, y * c.height, 1, 1).data[0];
		return String(red(0.32, 0.3) > red(0.7, 0.3) + 60);
	})()`, "true")
	p.pointer("pointerup", 0.32, 0.3)
}

// pointer has the mouse do something at a place of the window, from 0 to 1 to the right and down.
func (p *playgroundPage) pointer(event string, x, y float64) {
	p.ask(fmt.Sprintf(`(() => {
		const c = document.querySelector("#ti-window canvas.screen"), r = c.getBoundingClientRect();
		c.setPointerCapture = () => {};
		c.dispatchEvent(new PointerEvent(%q, {clientX: r.left + r.width * %v, clientY: r.top + r.height * %v, bubbles: true, pointerId: 1, isPrimary: true}));
		return "";
	})()`, event, x, y))
}

// picture is what the window shows, pixel by pixel.
func (p *playgroundPage) picture() image.Image {
	data := p.ask(`document.querySelector("#ti-window canvas.screen").toDataURL("image/png")`)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(data, "data:image/png;base64,"))
	if err != nil {
		p.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

// recorded is the last of some frames of a scene outside of a page, on one thread.
func recorded(t *testing.T, file string, frames int) image.Image {
	dir := guitest.Record(t, fmt.Sprintf(`{"frame": %d, "kind": "close"}`, frames))
	var out, errs bytes.Buffer
	if status := run([]string{"run", "-scene", file, "-threads", "1"}, &stdio{in: strings.NewReader(""), out: &out, err: &errs}); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	return guitest.Frame(t, dir, frames-1)
}

// difference is the mean difference of the channels of two pictures, from 0 to 1.
func difference(a, b image.Image) float64 {
	if a.Bounds().Size() != b.Bounds().Size() {
		return 1
	}
	sum := 0.0
	size := a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			for _, d := range []float64{float64(r) - float64(r2), float64(g) - float64(g2), float64(bl) - float64(bl2)} {
				sum += math.Abs(d) / 65535 / 3
			}
		}
	}
	return sum / float64(size.X*size.Y)
}

// mistakes: they are listed and underlined as one types, and the last program without any goes on.
func (p *playgroundPage) mistakes(t *testing.T) {
	p.t = t
	p.load(link(plainKernel, plainScene))
	p.until(stateOf, "running")
	p.paste("source", "\nfunc Bad() { X[0][0] = nothing }\n")
	p.until(`document.querySelector("#errors li button")?.textContent ?? ""`, "line 10: nothing is not defined")
	p.until(`String(document.querySelectorAll("#source .cm-lintRange-error").length > 0)`, "true")
	p.until(statusOf, "There are mistakes; the program before them goes on.")
	drawn := p.ask(`document.getElementById("ti-window").dataset.drawn`)
	p.until(`String(document.getElementById("ti-window").dataset.drawn > `+drawn+`)`, "true")
	p.paste("scene", "call Nothing()\n")
	p.load(link(plainKernel, plainScene+"call Nothing()\n"))
	p.until(`document.querySelector("#errors li button")?.textContent ?? ""`, `scene, line 4: call "Nothing()": the source has no kernel Nothing; it has Fill`)
	p.until(`String(document.querySelectorAll("#scene .cm-lintRange-error").length > 0)`, "true")
	p.load(link("package k\n\nvar X field[f32, D2]\n\nfunc Fill(i i32) { X[i][0] = 1 }\n", "bind X=8x8\ncall Fill(frame)\nshow X\n"))
	p.until(stateOf, "failed")
	p.until(`String(document.getElementById("status").textContent.includes("index [8 0] of X is out of range"))`, "true")
}

// sources: a text with two sources and a library runs, and mistakes of each file have their lines of the text.
func (p *playgroundPage) sources(t *testing.T) {
	p.t = t
	const a, b = "-- a.ti --\npackage k\n\nimport \"x.org/light\"\n\nvar X field[f32, D2]\n\nfunc Fill(x f32) { X[1][1] = x * light.Full + two() }\n", "-- b.ti --\npackage k\n\nfunc two() f32 { return 2 }\n"
	const light = "-- x.org/light/light.ti --\npackage light\n\nconst Full = 1.0\n"
	p.load(link(a+b+light, "source a.ti\nsource b.ti\n"+plainScene))
	p.until(stateOf, "running")
	p.until(`String(document.getElementById("ti-window").dataset.drawn > 1)`, "true")
	for _, c := range []struct{ source, want string }{
		{a + strings.ReplaceAll(b, "2 }", "x }") + light, "line 12: x is not defined"},
		{a + b + strings.ReplaceAll(light, "1.0", "x"), "line 16: x is not defined"},
		{a + b, "line 4: there is no library x.org/light"},
	} {
		p.load(link(c.source, plainScene))
		p.until(`String(document.querySelectorAll("#errors li button").length > 0)`, "true")
		if got := p.ask(`document.querySelector("#errors li button").textContent`); !strings.HasPrefix(got, c.want) {
			t.Errorf("the page says %q, want %q", got, c.want)
		}
	}
}

// endless: a kernel that does not end is stopped, also after the page was loaded anew, and the text is kept.
func (p *playgroundPage) endless(t *testing.T) {
	p.t = t
	serial := "package k\n\nvar X field[f32, D2]\n\nfunc Ever() {\n\tfor {\n\t}\n}\n"
	for range 2 { // the second time in the middle of the launch
		p.load(link(serial, "bind X=8x8\ncall Ever()\nshow X\n"))
		p.until(stateOf, "running")
	}
	time.Sleep(300 * time.Millisecond)
	start := time.Now()
	p.click("stop")
	p.until(stateOf, "lost")
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("an endless kernel was stopped after %v", took)
	}
	p.until(`String(document.querySelector("#source .cm-content").textContent.includes("func Ever()"))`, "true")
	parallel := "package k\n\nvar X field[f32, D2]\n\nfunc Long() {\n\tfor i := range 1 << 30 {\n\t\tX[i&7][0] += sin(f32(i))\n\t}\n}\n"
	p.load(link(parallel, "bind X=8x8\ncall Long()\nshow X\n"))
	p.until(stateOf, "running")
	time.Sleep(300 * time.Millisecond)
	p.click("stop")
	p.until(stateOf, "done")
	p.click("run")
	p.until(stateOf, "running")
}

// compiler: the pane has each kernel at each stage, of the program that runs.
func (p *playgroundPage) compiler(t *testing.T) {
	p.t = t
	p.load(link(plainKernel, plainScene))
	p.until(stateOf, "running")
	shows := func(text string) {
		t.Helper()
		p.until(`String(document.getElementById("inspected").textContent.includes(`+strconv.Quote(text)+`))`, "true")
	}
	choose := func(id, value string) {
		p.ask(`(() => { const s = document.getElementById("` + id + `"); s.value = "` + value + `"; s.onchange(); return "" })()`)
	}
	p.click("inspect")
	shows("for p := range X")
	for _, c := range []struct{ stage, text string }{{"ir", "kernel Fill"}, {"lower", "kernel Fill"}, {"wasm", "f32.store"}} {
		choose("stage", c.stage)
		shows(c.text)
	}
	p.paste("source", "\nfunc More() { X[0][0] = 2 }\n")
	p.until(`[...document.getElementById("kernel").options].map((o) => o.text).join(" ")`, "all Fill More")
	p.until(`document.getElementById("stage").value`, "wasm")
	choose("kernel", "More")
	choose("stage", "lower")
	shows("kernel More")
	p.until(`String(document.getElementById("inspected").textContent.includes("kernel Fill"))`, "false")
}

// documents: examples of the language and lessons run below their text, one at a time.
func (p *playgroundPage) documents(t *testing.T) {
	p.t = t
	const frame = `document.querySelector("iframe")?.contentDocument?.`
	press := func(n int) {
		p.ask(fmt.Sprintf(`(document.querySelectorAll("button[data-program]")[%d].click(), "")`, n))
	}
	p.load("docs/language.html")
	press(0)
	p.until(frame+`documentElement?.dataset.state ?? ""`, "done")
	p.until(`String(`+frame+`getElementById("printed").textContent.includes("T = [["))`, "true")
	p.until(frame+`defaultView.getComputedStyle(`+frame+`getElementById("ti-window")).display`, "none")
	press(3)
	p.until(frame+`getElementById("errors")?.children.length.toString() ?? ""`, "2")
	p.until(`String(document.querySelectorAll("iframe").length)`, "1")
	press(3)
	p.until(`String(document.querySelectorAll("iframe").length)`, "0")
	p.load("docs/tour/02-fields/index.html")
	press(0)
	p.until(frame+`getElementById("ti-window")?.dataset.drawn > 2 ? "drawn" : ""`, "drawn")
}

// links that are damaged, or of a later version, are refused with the reason.
func (p *playgroundPage) links(t *testing.T) {
	p.t = t
	const damaged = "This link is damaged: a part is missing, or was changed. Ask for it once more."
	whole := link(plainKernel, plainScene)
	for name, c := range map[string]struct{ link, want string }{
		"cut":     {whole[:len(whole)-20], damaged},
		"altered": {altered(link(plainKernel, plainScene), func(b []byte) []byte { b[len(b)/2] ^= 0x10; return b }), damaged},
		"no link": {"play.html#hello", damaged},
		"later":   {altered(link(plainKernel, plainScene), later), "This link was made by a later version of this page. Load the page anew, or ask for the program as a file."},
		"unknown": {"play.html#scene=nosuch", "the scene nosuch is not here (404)"},
	} {
		p.load(c.link)
		p.until(stateOf, "refused")
		if got := p.ask(statusOf); got != c.want {
			t.Errorf("%s: the page says %q, want %q", name, got, c.want)
		}
	}
	p.load(whole)
	p.until(stateOf, "running")
	p.click("share")
	p.until(`String(location.hash.length > 50 && document.getElementById("status").textContent.startsWith("The link"))`, "true")
	p.load("play.html" + p.ask(`location.hash`))
	p.until(stateOf, "running")
	p.until(`document.querySelector("#scene .cm-line").textContent`, "bind X=8x8")
	p.load("play.html#embed&scene=julia")
	p.until(stateOf, "running")
	p.until(`getComputedStyle(document.getElementById("text")).display`, "none")
}

// large: texts of a megabyte, of no sense, and with as many mistakes as lines, in the page as at the desk: the first mistake is said soon, and not more than people read.
func (p *playgroundPage) large(t *testing.T) {
	p.t = t
	const kernel = "package k\n\nvar X field[f32, D2]\n\nfunc Fill(x f32) {\n"
	for name, c := range map[string]struct{ source, scene, inPage, atDesk string }{
		"mistakes":    {"package k\n" + strings.Repeat("x = y\n", 100_000), plainScene, "line 2: expected declaration, found x", "k.ti:2:1: expected declaration, found x"},
		"undefined":   {kernel + strings.Repeat("\tX[0][0] = y\n", 70_000) + "}\n", plainScene, "line 6: y is not defined", "k.ti:6:12: y is not defined"},
		"garbage":     {strings.Repeat("\x00\u202e}{]\"`\n", 50_000), plainScene, "line 1: byte 0x00 is not text", "k.ti:1:1: byte 0x00 is not text"},
		"brackets":    {kernel + strings.Repeat("(", 1_000_000), plainScene, "line 6: ", "k.ti:6:"},
		"long":        {kernel + strings.Repeat("\tX[0][0] = y\n", 90_000) + "}\n", plainScene, "The text is longer than a million characters, which is more than this page runs.", "k.ti:6:12: y is not defined"},
		"words":       {plainKernel, strings.Repeat("paint\n", 100_000), "scene, line 1: there is no word \"paint\"", "k.scene:1: there is no word \"paint\""},
		"zero bytes":  {plainKernel, plainScene + strings.Repeat("\x00\x01\n", 100_000), "scene, line 4: byte 0x00 is not text", "k.scene:4: byte 0x00 is not text"},
		"many calls":  {plainKernel, plainScene + strings.Repeat("call Nothing()\n", 50_000), "scene, line 4: call \"Nothing()\"", "k.scene:4: call \"Nothing()\""},
		"one bracket": {plainKernel, plainScene + "call Fill(" + strings.Repeat("(", 500_000), "scene, line 4: call \"Fill((((", "k.scene:4: call \"Fill(((("},
	} {
		if !randtest.All() && !slices.Contains([]string{"undefined", "garbage", "long"}, name) {
			continue
		}
		p.load(link(c.source, c.scene))
		p.until(`String([document.getElementById("status"), ...document.querySelectorAll("#errors li button")].some((e) => e.textContent.startsWith(`+strconv.Quote(c.inPage)+`)))`, "true")
		if n := p.ask(`String(document.querySelectorAll("#errors li").length)`); len(n) > 3 {
			t.Errorf("%s: %s mistakes are listed", name, n)
		}
		if took, err := strconv.ParseFloat(p.ask(`document.documentElement.dataset.checked ?? "0"`), 64); err != nil || took > 10_000 {
			t.Errorf("%s: the page has found the mistakes after %v ms, %v", name, took, err)
		}
		atDesk(t, c.source, c.scene, c.atDesk)
	}
	p.load(link(plainKernel, plainScene))
	p.until(stateOf, "running")
}
