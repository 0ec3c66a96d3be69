package quant_test

import (
	"strings"

	"github.com/gotaichi/ti/internal/randtest"
)

// long has every code of every form up to 16 bits tested.
var long = randtest.Long("long", "test every code of every form up to 16 bits")

func cut(s string) (before, after string, ok bool) { return strings.Cut(s, " ") }

func contains(s, part string) bool { return strings.Contains(s, part) }
