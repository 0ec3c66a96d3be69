package scene

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
)

// settings take the words of a line config, which are named as the flags of ti run.
func (p *parser) settings(rest string) error {
	for _, word := range strings.Fields(rest) {
		set, err := setting(word)
		if err != nil {
			return err
		}
		p.scene.settings = append(p.scene.settings, set)
	}
	return nil
}

// setting is what a word changes.
func setting(word string) (func(*ti.Config), error) {
	switch word {
	case "debug":
		return func(c *ti.Config) { c.Debug = true }, nil
	case "check-nan":
		return func(c *ti.Config) { c.CheckNaN = true }, nil
	case "strict":
		return func(c *ti.Config) { c.StrictMath = true }, nil
	case "deterministic":
		return func(c *ti.Config) { c.Deterministic = true }, nil
	case "unchecked":
		return func(c *ti.Config) { c.Unchecked = true }, nil
	case "int=64":
		return func(c *ti.Config) { c.Int = 64 }, nil
	case "float=64":
		return func(c *ti.Config) { c.Float = 64 }, nil
	}
	if text, ok := strings.CutPrefix(word, "seed="); ok {
		n, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: a seed is a whole number from 0 to 2⁶⁴-1", word)
		}
		return func(c *ti.Config) { c.Seed = n }, nil
	}
	return nil, fmt.Errorf("there is no setting %q; there are debug, check-nan, strict, deterministic, unchecked, int=64, float=64 and seed=NUMBER", word)
}
