// Package examples lists the example programs beside it. Each is a folder with a main.go, a kernel source and a
// README; `go run ./examples/NAME -out DIR -json` runs one, writes its picture into DIR and prints its result as one
// JSON object, while its progress goes to standard error.
package examples

// An Example is one of the programs.
type Example struct {
	Name  string // of the folder
	Title string // what it shows, on one line
}

// List returns all examples in the order in which a demonstration runs them.
func List() []Example {
	return []Example{
		{"julia", "an animation of Julia sets"},
		{"mpm88", "a fluid of particles: a dam breaks while a drop falls"},
		{"life", "Gosper's glider gun in Conway's Game of Life"},
		{"nbody", "two galaxies of 2,048 bodies meet"},
		{"pathtracer", "a Cornell box by path tracing"},
		{"stablefluid", "smoke that rises in a box"},
		{"imagefilter", "a photograph smoothed by a bilateral filter, and its edges"},
	}
}
