package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/browsertest"
	"github.com/gotaichi/ti/internal/gallery"
	"github.com/gotaichi/ti/internal/guitest"
)

// largeKernel has a field that takes memory.
const largeKernel = "package k\n\nvar X, Large field[f32]\n\nfunc Fill(x f32) {\n\tfor p := range X {\n\t\tX[p] = x + Large[0]\n\t}\n}\n"

// sizes that no memory has are said with their lines, in the page as at the desk.
func (p *playgroundPage) sizes(t *testing.T) {
	p.t = t
	const two = "package k\n\nvar X field[f32, D2]\n\nvar A, B, C field[f32, D1]\n\nfunc Fill(x f32) {\n\tfor p := range A {\n\t\tA[p] = x + B[p] + C[p]\n\t}\n}\n"
	for _, c := range []struct {
		source, binds string
		line          int
		want          string
		pageOnly      bool // a machine has more memory than a page
	}{
		{plainKernel, "bind X=1000000000x1000000000", 1, "bind X=1000000000x1000000000: the tree needs more memory than a process can address; use smaller extents", false},
		{plainKernel, "bind X=99999999999999999999x5", 1, "is too large; indices are 32-bit integers", false},
		{plainKernel, "bind X=2000000x2000000", 1, "bind X=2000000x2000000: out of memory: ", false},
		{plainKernel, "bind X=-3x4", 1, "bind X=-3x4: size -3 along axis i; sizes are at least 1", false},
		{plainKernel, "bind X=20000x20000", 3, "show X: its picture has 20000×20000 pixels, and a window shows at most 67108864", false},
		{two, "bind X=8x8\nbind A=375000000\nbind B=375000000\nbind C=375000000", 4, "bind C=375000000: out of memory: ", true},
	} {
		lines := c.binds + "\ncall Fill(0.5)\nshow X\n"
		p.load(link(c.source, lines))
		p.until(`String(Number(document.documentElement.dataset.errors ?? 0))`, "1")
		want := fmt.Sprintf("scene, line %d: ", c.line)
		if got := p.ask(`document.querySelector("#errors li button").textContent`); !strings.HasPrefix(got, want) || !strings.Contains(got, c.want) {
			t.Errorf("%s: the page says %q, want %s%s", c.binds, got, want, c.want)
		}
		if !c.pageOnly {
			atDesk(t, c.source, lines, fmt.Sprintf("k.scene:%d: ", c.line), c.want)
		}
	}
}

// again: a scene that takes most of the memory runs once more in place of itself, and so does one that was refused before.
func (p *playgroundPage) again(t *testing.T) {
	p.t = t
	p.load(link(largeKernel, "bind X=8x8\nbind Large=600000000\ncall Fill(0.5)\nshow X\n"))
	const drawn = `String(document.getElementById("ti-window").dataset.drawn > 0)`
	p.until(drawn, "true")
	for range 2 {
		p.ask(`(document.getElementById("ti-window").dataset.drawn = 0, document.documentElement.dataset.state = "asked", "")`)
		p.click("run")
		p.until(stateOf, "running")
		p.until(drawn, "true")
		p.until(`document.documentElement.dataset.errors ?? ""`, "")
	}
}

// atDesk runs a scene outside of a page, which says what is wanted within some seconds.
func atDesk(t *testing.T, source, lines string, want ...string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"k.ti": source, "k.scene": lines} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	guitest.Record(t, "")
	var out, errs bytes.Buffer
	start := time.Now()
	status := run([]string{"run", "-scene", filepath.Join(dir, "k.scene")}, &stdio{in: strings.NewReader(""), out: &out, err: &errs})
	if took := time.Since(start); status == 0 || took > 10*time.Second {
		t.Errorf("status %d after %v", status, took)
	}
	for _, w := range want {
		if !strings.Contains(errs.String(), w) {
			t.Errorf("ti run -scene says %.500q, want %q", &errs, w)
		}
	}
}

// old: a page says in a sentence what a browser lacks, or how little memory it has.
func (p *playgroundPage) old(t *testing.T) {
	for _, c := range []struct{ name, flag, worker, want string }{
		{"vectors", "js-flags=--no-enable-sse4-1", "", "This browser has no vector instructions of WebAssembly (SIMD), which kernels are compiled to; browsers since 2023 have all that this page needs."},
		{"wasm", "js-flags=--no-opt", "delete globalThis.WebAssembly;", "This browser has no WebAssembly, which kernels are compiled to; browsers since 2023 have all that this page needs."},
		{"memory", "js-flags=--wasm-max-mem-pages=8192", "", "The program does not run: this browser gives it no more memory; make the fields of the scene smaller. Press Run to start it again."},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/worker.js" {
					gallery.Handler(p.dir).ServeHTTP(w, r)
					return
				}
				text, err := os.ReadFile(filepath.Join(p.dir, "worker.js"))
				if err != nil {
					t.Error(err)
				}
				h := w.Header()
				h.Set("Content-Type", "text/javascript")
				h.Set("Cross-Origin-Embedder-Policy", "require-corp") // as the page that asks for it
				fmt.Fprintf(w, "%s\n%s", c.worker, text)
			}))
			defer srv.Close()
			p := &playgroundPage{t, browsertest.Start(t, 1000, 700, c.flag), p.dir, srv.URL + "/"}
			p.load(link(largeKernel, "bind X=8x8\nbind Large=300000000\ncall Fill(0.5)\nshow X\n"))
			p.until(stateOf, "lost")
			if got := p.ask(statusOf); got != c.want {
				t.Errorf("the page says %q, want %q", got, c.want)
			}
			if got := p.ask(`document.getElementById("printed").textContent + document.getElementById("errors").textContent`); got != "" {
				t.Errorf("and more: %q", got)
			}
		})
	}
}

// TestServeTaken: a port that another program has is said before anything is built.
func TestServeTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var out, errs bytes.Buffer
	status := run([]string{"serve", "-listen", l.Addr().String()}, &stdio{in: strings.NewReader(""), out: &out, err: &errs})
	if want := "the pages cannot be served: listen tcp " + l.Addr().String(); status != 1 || !strings.Contains(errs.String(), want) || !strings.Contains(errs.String(), "name another port with -listen, such as 127.0.0.1:0") {
		t.Errorf("status %d: %s, want %s", status, &errs, want)
	}
}
