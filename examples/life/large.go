package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

// A large is the run of a world that is too large to show each cell.
type large struct {
	side            int    // of the world, in cells; 0 to fit the pattern
	pattern         string // a file, or "" for random cells
	meta            string // a file with metapixels that stand for the cells of the pattern, or ""
	pictures, every int    // and how many generations pass between two
}

const (
	margin = 64  // of dead cells around a pattern that the world is to fit
	shown  = 480 // most pixels along an edge of a picture
)

// run makes a film of the world, whose pixels say how many of the cells in a square live, and a sheet of its pictures.
func (w *large) run(d *demo.Demo) (result demo.Result, err error) {
	start, err := w.start()
	if err != nil {
		return result, err
	}
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	scale := (w.side + shown - 1) / shown
	life := Life{Scale: int32(scale)}
	rt.Place(ti.Shape{w.side / scale, w.side / scale}, &life.Image)
	b := newBoard(rt, w.side, w.side)
	if err := rt.Load(source, &life); err != nil {
		return result, err
	}
	if err := start(b); err != nil {
		return result, err
	}
	return w.film(d, rt, &life, b)
}

// start returns a function that makes cells live, and chooses the size of the world if that is open.
func (w *large) start() (func(b *board) error, error) {
	if w.pattern == "" {
		if w.side < 3*lanes {
			return nil, fmt.Errorf("a world of %d×%d is too small: choose one of %d×%d at least", w.side, w.side, 3*lanes, 3*lanes)
		}
		return func(b *board) error { return b.randomise(1) }, nil
	}
	cells, err := readPattern(w.pattern)
	if err != nil {
		return nil, err
	}
	rows, cols := cells.size()
	put := func(b *board, top, left int) { b.stamp(cells, top, left) }
	if w.meta != "" {
		pixels, err := readMetapixels(w.meta)
		if err != nil {
			return nil, err
		}
		n := max(rows, cols) + 2 // with dead cells around them
		model := cells.moved((n-rows)/2, (n-cols)/2)
		rows, cols = n*metaSize, n*metaSize
		put = func(b *board, top, left int) { pixels.stamp(b, model, n, top, left) }
	}
	if w.side == 0 {
		w.side = max(rows, cols) + 2*margin
	}
	if w.side < max(rows, cols)+2 {
		return nil, fmt.Errorf("the pattern takes %d×%d cells, and a world of %d×%d is too small for it", rows, cols, w.side, w.side)
	}
	return func(b *board) error {
		put(b, (w.side-rows)/2, (w.side-cols)/2)
		return nil
	}, nil
}

// film takes the pictures.
func (w *large) film(d *demo.Demo, rt *ti.Runtime, life *Life, b *board) (demo.Result, error) {
	film := d.Film("world.gif", picture.Config{Map: picture.Gradient(64, 0x101820, 0x8a5a2c, 0xf2c14e, 0xfff6d8), FPS: 4})
	frames := make([]int, w.pictures)
	for i := range frames {
		frames[i] = i
	}
	film.Sheet("world.png", min(w.pictures, 3), frames...)
	var live int64
	for picture := range d.Steps(w.pictures, "pictures") {
		if picture > 0 {
			for range w.every {
				err := d.Run(rt, func() (err error) {
					live, err = b.advance(life.Step)
					return err
				})
				if err != nil {
					return demo.Result{}, err
				}
			}
		}
		if err := life.Paint(b.now); err != nil {
			return demo.Result{}, err
		}
		film.Add(&life.Image)
	}
	generations := (w.pictures - 1) * w.every
	d.Say("%d cells live in the end; both generations take %d MB", live, 2*b.now.Tree().Bytes()>>20)
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d generations of %d×%d", generations, w.side, w.side),
		Amount: float64(generations) * float64(w.side) * float64(w.side),
		Unit:   "cell",
	})
}

// readPattern reads a pattern in one of two forms.
func readPattern(file string) (cells pattern, err error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, []byte("[M2]")) {
		cells, err = parseRLE(string(data))
	} else if m, e := parseMacrocell(string(data)); e == nil {
		cells = m.pattern(m.whole())
	} else {
		err = e
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return cells, nil
}

// readFile reads a file, and decompresses one whose name ends with .gz.
func readFile(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be decompressed: %w", file, err)
		}
	}
	return data, nil
}

// size moves a pattern to the corner and returns how many rows and columns it takes.
func (p pattern) size() (rows, cols int) {
	if len(p) == 0 {
		return 0, 0
	}
	top, left := p[0][0], p[0][1]
	for _, c := range p {
		top, left = min(top, c[0]), min(left, c[1])
	}
	copy(p, p.moved(-top, -left))
	for _, c := range p {
		rows, cols = max(rows, c[0]+1), max(cols, c[1]+1)
	}
	return rows, cols
}

// moved returns the pattern, moved downwards and to the right.
func (p pattern) moved(rows, cols int) pattern {
	q := make(pattern, len(p))
	for i, c := range p {
		q[i] = [2]int{c[0] + rows, c[1] + cols}
	}
	return q
}
