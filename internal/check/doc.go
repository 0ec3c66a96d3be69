// Package check gives a parsed kernel package its meaning: it resolves names,
// types every expression, folds constants, unrolls static loops, instantiates
// functions, decides which loops are parallel, and reports every mistake. It emits
// no code.
//
// In: the files of package syntax and a [Host], which binds the declarations of the
// source. Out: a [Program], which holds a tree of package typed, or a sorted list of
// errors. [Declare] checks declarations only, and lists what a host has to bind.
//
// The input contains the files of libraries, too; [syntax.File.Library] tells them from those of the source. Each package has a
// scope. A checker works on one file of one package at a time, and sees the imports of that file (library.go).
//
// Functions are instantiated for the context of their loops and for what their type
// parameters and compile-time parameters are bound to (instance.go, template.go,
// generic.go); these vanish from the tree. A variable that a function literal reads
// becomes a hidden parameter of the functions in between (funclit.go). Kernels with
// compile-time parameters are checked when the host asks: [Program.Instantiate].
// Bundles, vars that hold several fields, are objects of the checker alone: the tree
// has their fields, named by path (bundle.go).
//
// A section is a part of a field that is passed as an argument; it is an object of kind field (section.go, sectioncut.go). It has
// the field, and says for each axis whether the section takes one index, all indices, or those within bounds. Instances are made for
// this pattern. Indices and bounds are evaluated once, at the call ([typed.Sectioned]), and are the value of a
// hidden parameter of the instance. An element of a section is an element of the field. If all axes of the section are whole,
// its index is rewritten to the index in the field, so that later stages need not know of sections. Otherwise the element has a
// [typed.Section], by which lowering computes and checks the index.
//
// Constants of a float type are computed as compiled code does under strict maths: each operation rounds once, in the
// order of package lower, and functions are the maths library's (foldfloat.go). Untyped ones are exact.
//
// The invariants of a tree from a check without errors stand in package typed.
package check
