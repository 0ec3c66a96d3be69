// Package gui shows a running simulation in a window, and hears what people do there.
//
//	w, err := gui.Open("Fluid", 512, 512)
//	if err != nil {
//		return err
//	}
//	defer w.Close()
//	alpha := w.Slider("alpha", 0.2, 0, 1)
//	for range w.Frames(ctx) { // ends when the window does
//		if m := w.Mouse(); m.Left {
//			sim.Pull(m.Pos)
//		}
//		sim.Step(alpha.Value())
//		w.Show(&sim.Pixels)
//	}
//	return w.Err()
//
// A window is a page that the program serves, and a browser shows. Where a browser and a screen are, [Open] opens it as a window of its own; its address is
// printed as well, for a program on another machine:
//
//	$ ssh -L 8080:127.0.0.1:8080 machine     # with Config{Listen: "127.0.0.1:8080"}
//
// In: fields, as package picture shows them or as positions of points, lines and triangles, and widgets. Out: what the mouse, the keys and the widgets are at, the same during all of a frame, and in the next
// one what has become of them since.
//
// # Frames
//
// A frame is what [Window.Frames] yields: its picture, and the points, lines and triangles above it, are shown together when it ends. [Window.Show] copies the picture and
// returns, and so do the others. Each page that looks has two pictures under way and one that waits, which a newer one replaces: the simulation
// never waits, and a page that is slow, or reads nothing, costs the memory of three pictures. [Window.Sync] waits until the last picture is drawn. On a line on which
// a picture takes longer than about 50 ms, pages get JPEG.
//
// # Space
//
// [Window.Points], [Window.Lines] and [Window.Triangles] draw at positions of two numbers in the square that the picture fills, and at those of three in space. The page draws
// by WebGL 2, and moves the [Camera] as people drag. Without a page package internal/raster does the same.
//
// # Who may look
//
// The address has a word of 128 random bits, without which nobody gets anything. Only this machine's own address is listened on, and requests for another host or
// from another page are refused, so that no page elsewhere can reach the window through the browser. [Config].Listen opens it to other machines; then the word in
// the address is all that protects it, and it travels unencrypted.
//
// # Without a screen
//
// With TI_GUI=record:out.gif (or .png, .mp4, or a folder that ends in /) the program has no page: its frames become a film, and TI_GUI_INPUT names a file of what the mouse, the keys and the widgets do in
// which frame. So what reacts to people can be tested. In a program that is built for a web page (GOOS=js) the window is a part of that page.
//
// # Invariants
//
//   - Input changes between frames only. What was pressed and released between two frames is seen in the next one.
//   - The program's own goroutine does all that the methods of a Window do; they may be called from any goroutine.
//   - What a frame draws is one message, and the next frame begins empty.
//   - The first error stays: Show returns it, Frames ends, and Err and Close return it.
//
// Tests: gui has windows that are driven by requests, in a browser where there is one (TestBrowser, TestShapesInBrowser), and recorded (TestRecord).
package gui
