// Package porttest runs whole programs that were written to try the language out,
// each in testdata, and checks what they compute against plain Go or a law of
// nature. It has tests only.
//
// The sources are as their authors wrote them, and so are the structs that bind
// them; only sizes are smaller, and what a window would show is compared instead.
// Not here are programs that need what dense nodes of plain numbers do not have:
//
//	quantised types    lifebits, quantfluid, quantmpm
//	gradients          billiards, diffmpm, massspring, rigidbody
//	sparse nodes       cnn, maccormack, mpmsorted, pbf, sparse
//
// Where only the host chose sparse nodes (mpm3d, volume), the test chooses dense
// ones; of fem it leaves out the kernels that rely on inactive cells.
package porttest
