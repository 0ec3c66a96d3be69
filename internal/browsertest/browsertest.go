// Package browsertest opens pages in a browser, for tests.
//
// In: an address. Out: the page, which tests ask by expressions in JavaScript. A test is left out where there is no browser: it takes hundreds of
// megabytes, so that ti test does not install one.
//
// Tests: cmd/ti has pages of programs (TestPages). Package gui opens its windows so too.
package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Start starts a browser whose pages have a size, with flags as on its command line, such as js-flags=--no-opt. It ends with the test.
func Start(tb testing.TB, width, height int, flags ...string) context.Context {
	tb.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(width, height))
		for _, flag := range flags {
			name, value, _ := strings.Cut(flag, "=")
			options = append(options, chromedp.Flag(name, value))
		}
		alloc, end := chromedp.NewExecAllocator(tb.Context(), options...)
		tb.Cleanup(end)
		ctx, end := chromedp.NewContext(alloc)
		tb.Cleanup(end)
		return ctx
	}
	tb.Skip("no browser; apt-get install chromium gives one")
	return nil
}

// Open opens an address.
func Open(tb testing.TB, ctx context.Context, address string) {
	tb.Helper()
	_, err := chromedp.Run(ctx, chromedp.Navigate(address))
	if err == nil { // else the browser hands each message of a websocket over to the test, too, which takes longer than to draw it
		_, err = chromedp.Call(ctx, network.Disable, cdp.Empty{})
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// Ask returns the value of an expression in the page, which is a string.
func Ask(tb testing.TB, ctx context.Context, expression string) string {
	tb.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// Picture returns what the page shows where an element lies that a CSS selector names.
func Picture(tb testing.TB, ctx context.Context, selector string) image.Image {
	tb.Helper()
	place := Ask(tb, ctx, `(() => { const r = document.querySelector(`+strconv.Quote(selector)+`).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom].map(Math.round).join(" ") })()`)
	var r image.Rectangle
	_, err := fmt.Sscan(place, &r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y)
	var data []byte
	if err == nil {
		data, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
	}
	var img image.Image
	if err == nil {
		img, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		tb.Fatal(err)
	}
	part := image.NewNRGBA(image.Rectangle{Max: r.Size()})
	draw.Draw(part, part.Rect, img, r.Min, draw.Src)
	return part
}
