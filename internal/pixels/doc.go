// Package pixels converts between pictures and the elements of fields, and reads pictures
// without trusting the size that they claim to have.
//
// Elements are bytes in row-major order, little-endian, without padding, as Field.WriteTo
// has them. A [Format] says what an element is. Floats go from 0 to 1 and u8 from 0 to 255;
// numbers are rounded to the nearest level, so that a picture that was read and written is
// the same; what lies outside is clamped, and NaN is 0. Opacity is not multiplied in.
package pixels
