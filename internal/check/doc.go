// Package check gives a parsed kernel package its meaning: it resolves names,
// types every expression, folds constants, unrolls static loops, instantiates
// functions, decides which loops are parallel, and reports every mistake. It emits
// no code.
//
// In come the files of package syntax and a [Host], which binds the declarations of the
// source. Out goes a [Program], which holds a tree of package typed, or a sorted list of
// errors. [Declare] looks at declarations only, and tells a host what it has to bind.
//
// Files of libraries come beside those of the source, told by their [syntax.File.Library]. Each package has a scope; a
// checker is at one file of one package at a time, whose imports it sees (library.go).
//
// Functions are instantiated for the context of their loops and for what their type
// parameters and compile-time parameters are bound to (instance.go, template.go,
// generic.go); these vanish from the tree. A variable that a function literal reads
// becomes a hidden parameter of the functions in between (funclit.go). Kernels with
// compile-time parameters are checked when the host asks: [Program.Instantiate].
// Bundles, vars that hold several fields, are objects of the checker alone: the tree
// has their fields, named by path (bundle.go).
//
// A section, a part of a field that is an argument, is an object of kind field (section.go, sectioncut.go). It knows
// the field, and for each of its axes whether one index is taken, all, or those within bounds. Instances are made for
// this pattern. Indices and bounds are evaluated once, where the call stands ([typed.Sectioned]), and are the value of a
// hidden parameter of the instance. An element of a section is one of the field. If all axes that are kept are whole,
// its index is written as that in the field, so that nothing else needs to know of sections. Else it has a
// [typed.Section], by which lowering finds and checks the index.
//
// Constants of a float type are computed as compiled code does under strict maths: each operation rounds once, in the
// order of package lower, and functions are the maths library's (foldfloat.go). Untyped ones are exact.
//
// The invariants of a tree from a check without errors stand in package typed.
package check
