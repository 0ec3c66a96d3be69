package suite

import (
	"fmt"
	"os"
	"strings"
)

// ReplaceBlock replaces what stands in a file between the marks of a generated block, which name the command
// that makes it.
func ReplaceBlock(path, generator, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the documentation: %w", err)
	}
	first, last := fmt.Sprintf("<!-- from %s -->\n", generator), "<!-- end -->\n"
	head, rest, found := strings.Cut(string(old), first)
	_, tail, closed := strings.Cut(rest, last)
	if !found || !closed {
		return fmt.Errorf("%s has no block between %q and %q", path, first, last)
	}
	if err := os.WriteFile(path, []byte(head+first+text+last+tail), 0o666); err != nil {
		return fmt.Errorf("cannot write the documentation: %w", err)
	}
	return nil
}

// Digits formats a number with three of them, but never with an exponent.
func Digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
