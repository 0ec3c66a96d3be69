package prelude

import (
	"embed"
	"io/fs"
)

//go:embed *.ti
var sources embed.FS

// Linalg returns the sources of svd, polar, symEig, eig, qr, cholesky, solve, lstsq,
// inverse and determinant, and of reductions: files of one package.
func Linalg() fs.ReadFileFS { return sources }
