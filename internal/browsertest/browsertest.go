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
	"image"
	"image/png"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Start starts a browser whose pages have a size. It ends with the test.
func Start(tb testing.TB, width, height int) context.Context {
	tb.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(width, height))
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
	if _, err := chromedp.Run(ctx, chromedp.Navigate(address)); err != nil {
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

// Picture returns what an element of the page, named by a CSS selector, looks like.
func Picture(tb testing.TB, ctx context.Context, selector string) image.Image {
	tb.Helper()
	data, err := chromedp.Run(ctx, chromedp.Screenshot(selector))
	if err != nil {
		tb.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	return img
}
