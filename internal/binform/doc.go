// Package binform encodes and decodes the binary form of compiled kernels: numbers as varints,
// texts and lists with their lengths. The same calls write and read it. Any
// bytes give data or an error, and lengths are checked before memory is allocated.
//
// Tests: internal/launch and internal/loader write and read all their values (TestBinaryRoundTrip, TestPieceRoundTrip), and
// fuzz what they read (FuzzRead, FuzzRead).
package binform
