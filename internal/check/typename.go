package check

import (
	"regexp"

	"github.com/gotaichi/ti/internal/typed"
)

// shortName matches the short names of vectors and matrices whose width depends on the host.
var shortName = regexp.MustCompile(`\b([iu]?)(vec|mat)([234])\b`)

// name returns a type as the source has to write it. [typed.Type] calls [3]f32 vec3. Where the host chooses 64 bits for
// float, vec3 is another type.
func (c *checker) name(t typed.Type) string {
	if c.widths.Int == typed.I32 && c.widths.Float == typed.F32 {
		return t.String()
	}
	return shortName.ReplaceAllStringFunc(t.String(), func(short string) string {
		part := shortName.FindStringSubmatch(short)
		scalar, now := typed.F32, c.widths.Float
		switch part[1] {
		case "i":
			scalar, now = typed.I32, c.widths.Int
		case "u":
			scalar, now = typed.U32, unsignedOf(c.widths.Int)
		}
		switch {
		case scalar == now:
			return short
		case part[2] == "mat":
			return "[" + part[3] + "][" + part[3] + "]" + scalar.String()
		}
		return "[" + part[3] + "]" + scalar.String()
	})
}

// named returns the arguments of a message with the types by their names in the source.
func (c *checker) named(args []any) []any {
	for i, a := range args {
		if t, ok := a.(typed.Type); ok {
			args[i] = c.name(t)
		}
	}
	return args
}

// unsignedOf returns the unsigned integer as wide as a signed one.
func unsignedOf(t typed.Scalar) typed.Scalar {
	if t == typed.I64 {
		return typed.U64
	}
	return typed.U32
}
