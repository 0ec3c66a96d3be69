// Package target has what the compiler knows of a machine that it makes code for, as data
// that is not changed once made. The pass table asks it which passes are of use, and the
// code generator how wide vectors are. It knows no library and no compiler.
package target
