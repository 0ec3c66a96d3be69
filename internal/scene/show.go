package scene

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/picture"
)

// A show is the picture of a scene.
type show struct {
	number int // of the line
	field  string
	config picture.Config
	at     string // the index before the last two axes, as an expression; "" for none
}

// maps are the colours that have names.
var maps = map[string]func(int) color.Palette{"grey": picture.Grey, "viridis": picture.Viridis, "diverging": picture.Diverging}

// shades is how many colours a map has.
const shades = 256

// show takes the line with the picture.
func (p *parser) show(rest string) error {
	if before := p.scene.show.number; before > 0 {
		return fmt.Errorf("line %d shows a field already; a scene has one picture", before)
	}
	parts := strings.Fields(rest)
	s := show{number: p.at, field: parts[0]}
	for _, option := range parts[1:] {
		if err := s.option(option); err != nil {
			return err
		}
	}
	p.scene.show = s
	return ordered(&s.config)
}

func (s *show) option(option string) error {
	name, value, has := strings.Cut(option, "=")
	switch {
	case option == "xy":
		s.config.XY = true
	case name == "at" && has:
		s.at = value
	default:
		if is, err := scaleOption(&s.config, name, value); is || err != nil {
			return err
		}
		return fmt.Errorf("show has no option %q; there are xy, low=, high=, at=, map= and colours=", option)
	}
	return nil
}

// scaleOption takes an option that says which colours numbers have, and reports whether it is one.
func scaleOption(c *picture.Config, name, value string) (is bool, err error) {
	switch name {
	case "low", "high":
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || x-x != 0 {
			return true, fmt.Errorf("%q is no number", value)
		}
		if name == "low" {
			c.Low = x
		} else {
			c.High = x
		}
	case "map":
		of := maps[value]
		if of == nil {
			return true, fmt.Errorf("there is no map %q; there are grey, viridis and diverging, or write colours=05030f,ffffff", value)
		}
		c.Map = of(shades)
	case "colours":
		return true, colours(c, value)
	default:
		return false, nil
	}
	return true, nil
}

// ordered reports a scale that ends before it begins.
func ordered(c *picture.Config) error {
	if (c.Low != 0 || c.High != 0) && !(c.Low < c.High) {
		return fmt.Errorf("low is %v and high is %v; low must be less", c.Low, c.High)
	}
	return nil
}

// colours reads the colours of a map: 05030f,ffffff runs through 256 colours from one to the other, and 63:05030f,ffffff through 63. Several such parts have / between them.
func colours(c *picture.Config, text string) error {
	for part := range strings.SplitSeq(text, "/") {
		n := shades
		if count, rest, ok := strings.Cut(part, ":"); ok {
			var err error
			if n, err = strconv.Atoi(count); err != nil || n < 1 || n > shades {
				return fmt.Errorf("%q is no number of colours from 1 to %d", count, shades)
			}
			part = rest
		}
		var stops []picture.RGB
		for stop := range strings.SplitSeq(part, ",") {
			x, err := colour(stop)
			if err != nil {
				return err
			}
			stops = append(stops, x)
		}
		if len(stops) == 1 {
			n = 1
		}
		c.Map = append(c.Map, picture.Gradient(n, stops...)...)
	}
	return nil
}

// colour reads one colour.
func colour(text string) (picture.RGB, error) {
	digits := strings.TrimPrefix(text, "#")
	x, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 6 {
		return 0, fmt.Errorf("%q is no colour; one is written with six digits, as 05030f", text)
	}
	return picture.RGB(x), nil
}
