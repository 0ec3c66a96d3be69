// Package gallery writes the gallery and the playground: files for any server, in which scenes run in a browser.
//
// In: the folder of a version of this module, in which the program of the pages is built (package playground), and scenes. Out: a folder that can be copied to where it is served, or a handler
// that serves one.
//
//	index.html       the gallery
//	play.html        the playground: an editor and the window of a scene
//	playground.bin   the program, compressed by gzip
//	scenes.json      the scenes, and scenes/ with their files
//	docs/            the documents, whose examples run (package manual)
//
// A scene has one text for its kernels: where there are several files, also those of libraries that they import, each stands behind a line with its name (package script).
//
// Invariants:
//
//   - Pages load nothing from elsewhere, and need no special headers: they run on one thread. All names are relative, so that the folder can lie anywhere.
//   - What people write and share stays in the part of the address that browsers keep to themselves.
//   - A folder that is there already is only written into if it is empty, or has a gallery.
//
// Tests: internal/gallery writes a site of a program that stands in for the real one (TestWrite); cmd/ti plays the scenes in a browser, where there is one (TestSite).
package gallery
