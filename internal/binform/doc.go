// Package binform is the binary form of what compiled code is kept as: numbers as varints,
// texts and lists with their lengths. The same calls write and read it. Any
// bytes whatever give data or an error, and lengths are checked before memory is taken.
//
// Tests: internal/launch and internal/loader write and read all their values (TestBinaryRoundTrip, TestPiecesRoundTrip), and
// fuzz what they read (FuzzRead, FuzzReadPieces).
package binform
