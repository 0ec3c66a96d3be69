package scene

import (
	"fmt"

	"github.com/gotaichi/ti/internal/shapes"
	"github.com/gotaichi/ti/picture"
)

// image is the picture as it is now; nil if the scene has none.
func (p *Player) image() (*picture.View, error) {
	s := p.scene.show
	if s.field == "" {
		return nil, nil
	}
	f, err := p.session.Field(s.field)
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", s.field, err)
	}
	if shape := f.Shape(); len(shape) >= 2 {
		if a, b := shape[len(shape)-2], shape[len(shape)-1]; a > mostPixels/b {
			return nil, fmt.Errorf("show %s: its picture has %d×%d pixels, and a window shows at most %d", s.field, a, b, mostPixels)
		}
	}
	if s.at != "" {
		n, err := p.runner.Int(s.at)
		if err != nil {
			return nil, fmt.Errorf("show %s: at: %w", s.field, err)
		}
		s.config.At = []int{int(n)}
	}
	s.config.XY = p.scene.xy()
	v, err := s.config.Image(f.AnyField)
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", s.field, err)
	}
	return v, nil
}

// mostPixels is how many pixels a window shows; see package gui.
const mostPixels = shapes.Most / 4
