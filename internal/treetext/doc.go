// Package treetext parses descriptions of trees as the command line and the documents
// use them:
//
//	pointer(ij,256).dense(ij,16).place(X,Y)
//	origin(ij,-64,-64).B=pointer(ij,8).{bitmasked(ij,16).place(X); dynamic(k,1000).chunk(64).place(L)}
//
// In: text. Out: a [Tree], and from it, with the fields that it places, a *ti.Tree of a
// runtime with its nodes by name. The words are the methods of ti.Node in lower case:
//
//   - dense, pointer, bitmasked, hash and dynamic add a node below the one before, with
//     the letters of its axes and a size for each of them or one for all; NAME= before
//     it gives the node a name. A size may be a name, whose number [Tree.Give] sets;
//   - chunk(n) and morton() apply to the node before, origin(axes,n,…) at the start
//     applies to the tree;
//   - place(X,Y.Z) places fields, or members of fields of structs, beside each other in
//     each cell of the node before: an array of structures;
//   - bitstruct(64) adds a word to each cell of the node before, and bitarray(32,j,32) an array
//     of elements in one word. Behind them, place(X,fixed(21,8)) packs a field in a form, or its
//     components in a form each, and placeshared(float(5,9),V) numbers that share an exponent;
//     forms are int(n), fixed(n,limit) and float(e,f), with .unsigned(), .wrap() and
//     .stochastic() behind them;
//   - {…; …} has several chains below one node, each field in a node of its own being a
//     structure of arrays.
//
// What is wrong is an [Error] with its column.
package treetext
