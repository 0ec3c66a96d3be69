// Package scene shows programs of the kernel language that have no Go program: a source, and some lines that say what is bound, launched and shown.
//
//	title  Waves on shallow water
//	source waterwave.ti
//	bind   Pixels=256x256
//	bind   Background=256x256
//	bind   Height=256x256
//	bind   Velocity=256x256
//	slider steps 10 1 50
//	start  Reset()
//	call   for range steps { Update() }; Paint()
//	drag   CreateWave(3, [256*mousex, 256*mousey])
//	show   Pixels
//
// In: the text of a scene and its sources. Out: a [Player], which launches and shows a frame at a time, in a window on the desk or in a page (package gui). The words that bind and launch are those of
// ti run, and package script does what they say; what shapes are made of is read by package shapes.
//
// # Words
//
// A line has a word and what belongs to it; # begins a comment.
//
//	title TEXT                     the title of the window
//	source FILE                    a file of the source, relative to the scene; the scene's name with .ti if there is none
//	tree TREE, bind NAME=WHAT      as -tree and -bind of ti run
//	grad NAME …                    fields that get adjoints; those that the source names, and losses, have them anyway
//	slider NAME AT LOW HIGH        a number for calls; a whole one if all three are
//	checkbox NAME on|off           1 or 0
//	choice NAME OPTION OPTION …    the number of the option, from 0 on
//	start CALLS                    launched once, at the beginning
//	call CALLS                     launched in each frame, in the order of the lines
//	tape LOSS CALLS                the same, differentiated in reverse: X.grad has the derivative of LOSS by X
//	plot NAME CALLS                the same; the first result of the last one becomes a point of a curve
//	plot NAME FIELD                the element of a field becomes one
//	drag CALLS                     launched in each frame in which the mouse or a finger is down
//	key KEY CALLS                  launched in each frame before which the key was pressed
//	button NAME CALLS              launched when the button is pressed
//	print FIELD                    printed behind the start
//	config WORD …                  settings: debug, check-nan, strict, deterministic, unchecked, int=64, float=64, seed=NUMBER
//	show FIELD OPTION …            the picture: xy, low=0, high=1, at=0, map=viridis, or colours=05030f,ffffff
//	points FIELD OPTION …          points at positions, above the picture: radius=0.01, colour=ff8800, or fields in place of these, and the colours of numbers as show has them
//	lines FIELD OPTION …           the same for lines, with index=FIELD
//	triangles FIELD OPTION …       the same for triangles, without a radius
//	camera OPTION …                eye=1,1,3, target=0,0,0, up=0,1,0, fov=45, fixed
//	window OPTION …                a size, as in 800x600, xy, background=102030
//
// CALLS is what -call of ti run has. Its expressions have the names of sliders, checkboxes and choices, frame (from 0 on), and mousex and mousey, from 0 to 1 along the axes of the field
// that is shown, and mousedx and mousedy, by how much these have changed since the last frame.
//
// # Invariants
//
//   - A scene draws the same pictures wherever it runs, for the same input in the same frames: there is no clock.
//   - What is wrong with a scene is an [Error] with the number of the line; all such lines are reported. Mistakes of the source are errors of its own kind ([ti.SourceErrors]).
//   - A scene without a picture has no frames and no window: its start is launched, and its fields are printed.
//   - A launch that fails ends the scene, with the place in the source.
//
// Tests: internal/scene has scenes with mistakes (TestWrong, TestWrongShapes) and played ones (TestPlay, TestShapes, TestSpace); the tests of the examples play all of theirs.
package scene
