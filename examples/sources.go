// Package examples holds the kernel sources of the examples, for programs that measure them.
package examples

import "embed"

// Sources has the source of example NAME as NAME/NAME.ti.
//
//go:embed */*.ti
var Sources embed.FS
