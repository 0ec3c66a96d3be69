// Package raster draws points, lines and triangles into a picture, by the processor alone.
//
// In: an opaque picture, a [Camera], and [Shape] values. Out: the same picture with the shapes in it. [Draw] is what a window without a screen has in place of WebGL: its
// geometry, shading and smallest sizes are those of the page of package gui, so that pictures of both can be compared.
//
// # Geometry
//
// Shapes with two numbers a position lie in the unit square that the picture fills, x to the right and y down; they are drawn in their order, without depth. Shapes
// with three are seen by the camera, in perspective, and nearer ones hide others. They come first, and those of two numbers above them.
//
// # Invariants
//
//   - What is not a number, or lies outside of the picture, in front of the near plane or behind the far one, is left out. Nothing panics.
//   - Draw takes four samples a pixel. A pixel that no shape touches keeps its colour.
//   - An index is below the number of positions: who makes a Shape has looked.
//
// Tests: internal/raster has tests of cameras, of pictures of single shapes and of what hides what (TestDraw, TestDepth).
package raster
