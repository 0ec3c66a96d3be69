// Package rng is a library of random numbers for kernels: the one that docs/your-project.md shows.
package rng

import (
	"embed"

	"github.com/gotaichi/ti"
)

//go:embed *.ti
var files embed.FS

// Kernels is what kernel sources import as "github.com/gotaichi/ti/docs/your-project/rng".
var Kernels = ti.Library("github.com/gotaichi/ti/docs/your-project/rng", ti.Files(files, "*.ti"))

// A Stream is rng.Stream of kernels, for fields of them.
type Stream struct{ Key, Number, Count uint32 }
