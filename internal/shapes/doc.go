// Package shapes reads points, lines and triangles from fields.
//
// In: a field of positions, and a [Style] with fields of radii, colours and indices. Out: a [raster.Shape], which is a copy, or an error that says which field does not fit, and what would.
//
// # Invariants
//
//   - A shape that was read has an element for each position, and its indices are below the number of positions.
//   - Nothing that would take more than [Most] bytes is copied.
//
// Tests: internal/scene draws shapes and refuses wrong ones (TestShapes, TestWrongShapes). Package gui has those of all kinds of elements.
package shapes
