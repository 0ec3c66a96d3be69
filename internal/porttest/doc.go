// Package porttest runs whole programs that were written to try the language out,
// each in testdata, and checks what they compute against plain Go or a law of
// nature. It has tests only.
//
// The sources are as their authors wrote them, and so are the structs that bind
// them; only sizes are smaller, and what a window would show is compared instead.
// Not here are programs that need quantised types: lifebits, quantfluid and quantmpm.
//
// The gradients of billiards, diffmpm, massspring and rigidbody are compared with differences, and each is trained.
// fem, mpm3d, mpmsorted and volume run on arrays and on sparse nodes. What cnn would
// have as gradients are fields beside its own.
package porttest
