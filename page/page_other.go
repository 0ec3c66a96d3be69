//go:build !js

package page

import "image"

// Open reports whether the program runs in a page.
func Open() bool { return false }

// Draw shows a picture on the canvas, which gets its size, and lets the page show it before it returns.
func Draw(image.Image) error { return ErrNoPage }

// Progress shows a line of text, such as how many steps are done.
func Progress(string) error { return ErrNoPage }
