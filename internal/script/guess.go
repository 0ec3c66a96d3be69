package script

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/typed"
)

// ShapeText is a shape of a rank, as an example.
func ShapeText(rank int) string {
	if rank == 0 {
		return "scalar"
	}
	return strings.TrimSuffix(strings.Repeat("16x", rank), "x")
}

// ConstGuess is a value of a type, as an example.
func ConstGuess(t typed.Type) (string, error) {
	_, dims, err := GoType(t)
	if err != nil {
		return "", err
	}
	value := "1"
	if t == typed.Bool {
		value = "true"
	}
	for _, n := range slices.Backward(dims) {
		value = "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
	}
	return value, nil
}
