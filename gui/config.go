package gui

import (
	"fmt"
	"image/color"
	"os"
	"strings"

	"github.com/gotaichi/ti/picture"
)

// Config says how a window works. The zero value is what [Open] uses.
type Config struct {
	// Picture says how fields are shown: which axis runs where, and the colours of scalars.
	Picture picture.Config

	// Background is the colour behind points, lines and triangles where no picture is shown; nil is black. Its opacity does not count.
	Background color.Color

	// Listen is the address on which the page is served, as in "127.0.0.1:8080". Without it the system chooses a port of this machine's own address, the same
	// one again for a window of the same title if it is free. Another machine can look if the address is one that it reaches, such as "0.0.0.0:8080".
	Listen string

	// FPS is how many frames Frames has in a second at most; 0 is no limit.
	FPS float64

	// Unseen has Frames begin before anybody looks, and go on when nobody does any more.
	Unseen bool

	// Quiet has Open open no browser. The address is printed all the same.
	Quiet bool
}

// The environment variables that concern windows.
const (
	// EnvMode says what a window is: "" for a page that a browser shows at once, "address" for a page that no browser is asked to show, "record:FILE" for a film.
	EnvMode = "TI_GUI"

	// EnvInput names the file of what happens in a window that is recorded.
	EnvInput = "TI_GUI_INPUT"
)

// Open opens a window with room for width×height pixels. It fails if the environment asks for something that cannot be done, or no page can be served.
func Open(title string, width, height int) (*Window, error) {
	return Config{}.Open(title, width, height)
}

// Open opens a window with these settings.
func (c Config) Open(title string, width, height int) (*Window, error) {
	switch {
	case width <= 0 || height <= 0:
		return nil, fmt.Errorf("gui: a window of %d×%d pixels", width, height)
	case c.FPS < 0:
		return nil, fmt.Errorf("gui: Config.FPS is %v; it is 0, for no limit, or more", c.FPS)
	}
	w := newWindow(c, title, width, height)
	mode := os.Getenv(EnvMode)
	if path, record := strings.CutPrefix(mode, "record:"); record {
		s, err := openRecording(w, path, os.Getenv(EnvInput))
		w.screen = s
		return w, err
	}
	if mode != "" && mode != "address" {
		return nil, fmt.Errorf("gui: %s is %q; it can be \"address\", \"record:FILE\", or not be set", EnvMode, mode)
	}
	if input := os.Getenv(EnvInput); input != "" {
		return nil, fmt.Errorf("gui: %s is set, and nothing is recorded; set %s=record:FILE, too", EnvInput, EnvMode)
	}
	w.config.Quiet = c.Quiet || mode == "address"
	s, err := openScreen(w)
	if err != nil {
		return nil, fmt.Errorf("gui: the window %q: %w", title, err)
	}
	w.screen = s
	return w, nil
}

// background is Background for a page; "" for black.
func (c Config) background() string {
	b := c.back()
	if b == (color.NRGBA{A: 255}) {
		return ""
	}
	return fmt.Sprintf("#%02x%02x%02x", b.R, b.G, b.B)
}

// back is Background, opaque.
func (c Config) back() color.NRGBA {
	b := color.NRGBA{}
	if c.Background != nil {
		b = color.NRGBAModel.Convert(c.Background).(color.NRGBA)
	}
	b.A = 255
	return b
}
