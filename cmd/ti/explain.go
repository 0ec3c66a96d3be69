package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

type explainCmd struct {
	Code string `arg:"" optional:"" help:"The code, such as TI0308; without one, all codes are listed."`
}

// Run prints what the registry has about a code.
func (c *explainCmd) Run(io *stdio) error {
	if c.Code == "" {
		for _, e := range syntax.Explanations() {
			fmt.Fprintf(io.out, "%s  %s\n", e.Code, e.Title)
		}
		return nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(c.Code), "TI"))
	if err != nil {
		return fmt.Errorf("%q is not an error code; codes look like TI0308", c.Code)
	}
	e, ok := syntax.Explain(syntax.Code(n))
	if !ok {
		return fmt.Errorf("there is no error code %s; ti explain lists all", syntax.Code(n))
	}
	fmt.Fprintf(io.out, "%s: %s\n\n%s\n", e.Code, e.Title, strings.TrimSpace(e.Text))
	if e.Wrong != "" {
		fmt.Fprintf(io.out, "\nWrong:\n\n%s\n", indent(e.Wrong))
	}
	if e.Right != "" {
		fmt.Fprintf(io.out, "\nRight:\n\n%s\n", indent(e.Right))
	}
	return nil
}

func indent(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "    " + l
		}
	}
	return strings.Join(lines, "\n")
}
