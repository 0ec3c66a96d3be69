package syntax

// Mistakes with nodes, their cells and lists.
const (
	NotAList       Code = 630
	ListElement    Code = 631
	CellIndex      Code = 632
	DenseCell      Code = 633
	Rescale        Code = 634
	UnboundedShape Code = 635
	UnboundedLoop  Code = 636
)

// The examples say in comments in what tree the host places what they declare, as ti run
// -tree has it.
var sparseCodes = []Explanation{
	{NotAList, "not a list",
		"append, clear and len of a list take a field placed on a dynamic node, with an index that lacks the axis of the lists, which is the last: x[i] where x has two axes, and x where it has one.",
		"// tree: pointer(i,4).dynamic(j,100).place(X)\nvar X field[f32, D2]\n\nfunc F() {\n\tappend(X, 1)\n}", "// tree: pointer(i,4).dynamic(j,100).place(X)\nvar X field[f32, D2]\n\nfunc F() {\n\tappend(X[0], 1)\n}"},
	{ListElement, "element of a list where a cell is needed",
		"activate, deactivate and isActive are about cells of pointer, bitmasked and hash nodes. A list is changed by append and clear, and has the elements 0 to len(x[i])-1.",
		"// tree: pointer(i,4).dynamic(j,100).place(X)\nvar X field[f32, D2]\n\nfunc F() {\n\tdeactivate(X, 0, 1)\n}", "// tree: pointer(i,4).dynamic(j,100).place(X)\nvar X field[f32, D2]\n\nfunc F() {\n\tclear(X[0])\n}"},
	{CellIndex, "wrong number of indices for a cell",
		"A cell is named by one index for each axis of its node, or by a vector with as many components.",
		"// tree: B=pointer(ij,4).dense(ij,4).place(X)\nvar X field[f32, D2]\nvar B node\n\nfunc F() {\n\tactivate(B, 1)\n}", "// tree: B=pointer(ij,4).dense(ij,4).place(X)\nvar X field[f32, D2]\nvar B node\n\nfunc F() {\n\tactivate(B, 1, 2)\n}"},
	{DenseCell, "cell that is always active",
		"Only cells of pointer, bitmasked and hash nodes can be deactivated. Those of a dense node below one are active as long as the cell around them is: name the sparse node above. (Where no node of the path is sparse, deactivate does nothing.)",
		"// tree: pointer(ij,8).dense(ij,4).place(X)\nvar X field[f32, D2]\n\nfunc F() {\n\tdeactivate(X, 1, 2)\n}", "// tree: bitmasked(ij,8).place(X)\nvar X field[f32, D2]\n\nfunc F() {\n\tdeactivate(X, 1, 2)\n}"},
	{Rescale, "index that cannot be rescaled",
		"rescaleIndex turns an index of one node or field into that of another whose cells are larger or smaller by a whole factor along each axis. Both have the same axes, but for that of a list.",
		"var X field[f32, D2]\nvar Y field[f32, D1]\n\nfunc F() {\n\tfor p := range X {\n\t\tY[rescaleIndex(X, Y, p)] += X[p]\n\t}\n}",
		"// tree: Y=pointer(ij,4).dense(ij,4).place(X)\nvar X field[f32, D2]\nvar Y node\n\nfunc F() {\n\tfor p := range X {\n\t\tactivate(Y, rescaleIndex(X, Y, p))\n\t}\n}"},
	{UnboundedShape, "shape of a field without bounds",
		"A field below a hash node without sizes may have any index, so it has no shape. Loop over its active cells. Where a number is needed, such as the size of a domain that indices wrap around in, take it from a host constant; or have the host give the hash node sizes, as in Hash(ti.IJ, 1024), and the field has a shape.",
		"// tree: hash(ij).dense(ij,4).place(X)\nvar X field[f32, D2]\n\nfunc F() i32 {\n\treturn X.shape.x\n}",
		"// tree: hash(ij).dense(ij,4).place(X)\nvar X field[f32, D2]\n\nfunc F() (n i32) {\n\tfor range X {\n\t\tn++\n\t}\n\treturn\n}"},
	{UnboundedLoop, "loop over a field without bounds in the wrong place",
		"The cells of a hash node without sizes are listed before a loop over them starts, and so such a loop stands in the outermost scope of a kernel, parallel or with serial. A serial one can be left by break, but not by return or to a label beyond it.",
		"// tree: hash(ij).dense(ij,4).place(X)\nvar X field[f32, D2]\n\nfunc F(on bool) {\n\tif on {\n\t\tfor p := range serial(X) {\n\t\t\tX[p] = 1\n\t\t}\n\t}\n}",
		"// tree: hash(ij).dense(ij,4).place(X)\nvar X field[f32, D2]\n\nfunc F(on bool) {\n\tfor p := range serial(X) {\n\t\tif on {\n\t\t\tX[p] = 1\n\t\t}\n\t}\n}"},
}
