// Package picture shows fields: it writes them to files as pictures, plays them as films, and
// reads pictures into them.
//
//	picture.Save("a.png", &s.Pixels)        // .png, .jpg or .gif
//	img, err := picture.Image(&s.Pixels)    // an image.Image over the field's memory
//	err = picture.Load("cat.png", &s.Photo) // the field has the picture's shape
//
//	film, err := picture.NewFilm("a.gif")   // .gif, .png or .apng; .mp4 or .webm by ffmpeg
//	for range frames {
//		s.Step()
//		film.Add(&s.Pixels) // encoded while the next kernels run
//	}
//	err = film.Close() // reports the first failure
//
// Each of these functions is also a method of [Config], which has settings:
//
//	c := picture.Config{XY: true, Map: picture.Viridis(255), High: 5}
//	err := c.Save("a.png", &s.Speed)
//
// # Elements
//
//   - f16, f32 and f64 are brightness: 0 is black, 1 is white. With a Map they are its colours
//     from Low to High.
//   - u8 is brightness from 0 to 255; bool is black or white.
//   - vectors of 3 of these are red, green and blue. A fourth number is opacity, not multiplied in.
//   - u32 is a colour as the kernel language's rgba packs it, 0xAABBGGRR.
//   - Integers of any kind, with a Map, are indices of its colours.
//
// What lies outside of these ranges is clamped, and NaN is 0. Levels are rounded to the nearest, so
// that a picture which is loaded and saved stays the same.
//
// # Axes
//
// A field has two axes. The first one runs down and the second one to the right, as rows and columns of a
// matrix, a NumPy array, a [][]float32 and the command ti run do: element [0][0] is the upper left pixel, and a
// field of shape {height, width} holds a picture. With Config.XY the first axis runs to the right
// and the second one up, as x and y do in mathematics and in Taichi's windows: element [0][0] is
// the lower left pixel, and the shape is {width, height}.
//
// # Invariants
//
//   - A file that could not be written whole is removed, and the error says why. No function
//     leaves a file open.
//   - No picture is decoded before its size was compared with the bytes of its file and with the
//     memory of the machine.
//   - A film holds a few frames at a time. Whoever adds frames faster than they can be encoded waits.
//   - The package draws what a field holds when it is called. Kernels that run meanwhile may
//     show up in parts of the picture.
package picture
