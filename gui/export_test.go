//go:build !js

package gui

// Address is that of the page of a window.
func Address(w *Window) string { return w.screen.(*server).address() }

// ParseInput reads a file of input, and says how many events it has.
func ParseInput(data []byte) (int, error) {
	all, err := parseInput(data)
	return len(all), err
}
