// Package page shows in a web page what a program computes that runs there: a picture on a canvas, and how far it has come. Printed lines reach the page by
// themselves, through standard output.
//
//	if page.Open() { // the program was built with GOOS=js, and runs in a page
//		img, err := picture.Image(&s.Pixels)
//		…
//		err = page.Draw(img)
//	}
//
// The command ti page writes a page for a program: its index.html runs the program in main. In a page of your own, the canvas and the line of progress are the
// elements with the ids ti-canvas and ti-progress; elements that are missing are appended to the page.
//
// In: pictures, and text. Out: what people see. Elsewhere than in a page each function returns [ErrNoPage], so that a program may be built for both.
//
// Kernels run on the thread of the page, which has its turn every 10 ms, see package internal/wasm: it can draw, and the program hears of clicks. A program must not
// launch kernels in a function that JavaScript calls: let that send to a channel, and launch in a goroutine.
//
// Tests: cmd/ti runs programs in a browser, where there is one (TestPages).
package page

import "errors"

// ErrNoPage is the error of a program that does not run in a page.
var ErrNoPage = errors.New("page: this program does not run in a page")
