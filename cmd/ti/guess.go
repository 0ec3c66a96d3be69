package main

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/typed"
)

func shapeText(rank int) string {
	if rank == 0 {
		return "scalar"
	}
	return strings.TrimSuffix(strings.Repeat("16x", rank), "x")
}

func constGuess(t typed.Type) (string, error) {
	_, dims, err := goType(t)
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
