// Package shapes reads points, lines and triangles from fields.
//
// In: a field of positions, and a [Style] with fields of radii, colours and indices. Out: a [raster.Shape], which is a copy, or an error that says which field does not fit, and what would.
//
// # Invariants
//
//   - A shape that was read has an element for each position, and its indices are below the number of positions.
//   - Nothing that would take more than [Most] bytes is copied.
//
// Tests: gui has those of shapes that are drawn and refused (TestShapes, TestBadShapes); internal/scene has those of scenes with some (TestShapes).
package shapes
