//go:build !js

package gui

import "time"

// Address is that of the page of a window.
func Address(w *Window) string { return w.screen.(*server).address() }

// ParseInput reads a file of input, and says how many events it has.
func ParseInput(data []byte) (int, error) {
	all, err := parseInput(data)
	return len(all), err
}

// SetPatience sets how long the window waits for a page that reads nothing.
func SetPatience(w *Window, d time.Duration) { w.screen.(*server).patience = d }
