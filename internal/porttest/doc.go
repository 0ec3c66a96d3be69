// Package porttest runs whole programs that were written to try the language out,
// each in testdata, and checks what they compute against plain Go or a law of
// nature. It has tests only.
//
// The sources are as their authors wrote them, and so are the structs that bind
// them; only sizes are smaller, and the contents of a window are compared instead of shown.
// Programs that need quantised types are not here: lifebits, quantfluid and quantmpm.
//
// The gradients of billiards, diffmpm, massspring and rigidbody are compared with difference quotients, and each is
// trained. fem, mpm3d, mpmsorted and volume run on arrays and on sparse nodes. cnn stores its gradients in
// separate fields.
package porttest
