package picture_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/picture"
)

const source = `
package waves

var Pixels field[f32, D2]

func Paint(time f32) {
	for p := range Pixels {
		Pixels[p] = 0.5 + 0.5*sin(0.1*length(vec2(p)) - time)
	}
}
`

// Waves is the host of the source.
type Waves struct {
	Pixels ti.Field[float32]
	Paint  func(time float32) error
}

// start returns waves of 60 rows and 80 columns, painted once, and a folder for pictures of
// them.
func start() (rt *ti.Runtime, waves *Waves, dir string) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		log.Fatal(err)
	}
	waves = new(Waves)
	rt.Place(ti.Shape{60, 80}, &waves.Pixels)
	if err := rt.Load(source, waves); err != nil {
		log.Fatal(err)
	}
	if err := waves.Paint(0); err != nil {
		log.Fatal(err)
	}
	if dir, err = os.MkdirTemp("", "picture-"); err != nil {
		log.Fatal(err)
	}
	return rt, waves, dir
}

// stop undoes start.
func stop(rt *ti.Runtime, dir string) {
	rt.Close()
	os.RemoveAll(dir)
}

func ExampleSave() {
	rt, waves, dir := start()
	defer stop(rt, dir)
	file := filepath.Join(dir, "waves.png")
	if err := picture.Save(file, &waves.Pixels); err != nil {
		log.Fatal(err)
	}
	fmt.Println(picture.Shape(file))
	// Output: [60 80] <nil>
}

func ExampleConfig() {
	rt, waves, dir := start()
	defer stop(rt, dir)
	// The colours of values from 0.25 to 0.75; x to the right and y up, so that there are 60 columns.
	c := picture.Config{Map: picture.Viridis(255), Low: 0.25, High: 0.75, XY: true}
	img, err := c.Image(&waves.Pixels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Bounds().Dx(), "by", img.Bounds().Dy())
	fmt.Println(img.At(0, 79), "is the colour of", waves.Pixels.At(0, 0))
	// Output:
	// 60 by 80
	// {33 145 140 255} is the colour of 0.5
}

func ExampleConfig_NewFilm() {
	rt, waves, dir := start()
	defer stop(rt, dir)
	file := filepath.Join(dir, "waves.gif")
	film, err := picture.Config{Map: picture.Viridis(255), FPS: 20}.NewFilm(file)
	if err != nil {
		log.Fatal(err)
	}
	for frame := range 5 {
		if err := waves.Paint(float32(frame) / 10); err != nil {
			log.Fatal(err)
		}
		film.Add(&waves.Pixels) // Close returns the failure
	}
	fmt.Println(film.Close())
	// Output: <nil>
}

func ExampleLoad() {
	rt, waves, dir := start()
	defer stop(rt, dir)
	file := filepath.Join(dir, "waves.png")
	if err := picture.Save(file, &waves.Pixels); err != nil {
		log.Fatal(err)
	}

	shape, err := picture.Shape(file)
	if err != nil {
		log.Fatal(err)
	}
	pixels := ti.NewField[uint8](rt, shape...)
	if err := picture.Load(file, pixels); err != nil {
		log.Fatal(err)
	}
	fmt.Println(shape, pixels.At(0, 0))

	err = picture.Load(file, ti.NewField[uint8](rt, 80, 60))
	fmt.Println(err != nil)
	// Output:
	// [60 80] 128
	// true
}
