package syntax

import "github.com/gotaichi/ti/internal/diag"

// Mistakes in the host program, which sessions without a compiler report too.
const (
	HostType       = diag.HostType
	Unexported     = diag.Unexported
	NoCounterpart  = diag.NoCounterpart
	FuncSignature  = diag.FuncSignature
	NotPlaced      = diag.NotPlaced
	OtherRuntime   = diag.OtherRuntime
	ClosedField    = diag.ClosedField
	BoundTwice     = diag.BoundTwice
	UnreadableFile = diag.UnreadableFile
	BadLibrary     = diag.BadLibrary
	LayoutSize     = diag.LayoutSize
	LayoutAxes     = diag.LayoutAxes
	LayoutTooLarge = diag.LayoutTooLarge
	LayoutTwice    = diag.LayoutTwice
	LayoutParts    = diag.LayoutParts
	LayoutFrozen   = diag.LayoutFrozen
	ElementType    = diag.ElementType
	MemberPath     = diag.MemberPath
	LayoutMemory   = diag.LayoutMemory
	LayoutWord     = diag.LayoutWord
	LayoutFormat   = diag.LayoutFormat
)

var hostCodes = []Explanation{
	{HostType, "value that cannot be bound",
		"A host is a pointer to a struct, or ti.Bindings. A var of the source is bound to a ti.Field[T] (or a pointer to one), a *ti.Node, a number, a bool, or an array or struct of these.",
		"var s Sim\nerr := rt.Load(source, s)", "var s Sim\nerr := rt.Load(source, &s)"},
	{Unexported, "unexported struct field",
		"The struct field that the source's declaration would be bound to is unexported, so it cannot be set. Write its name with a capital letter, or name the declaration in a tag.",
		"type Sim struct {\n\tstep func() `ti:\"Step\"`\n}", "type Sim struct {\n\tStep func()\n}"},
	{NoCounterpart, "nothing of that name in the source",
		"A Field or func of the host struct has no counterpart in the source, so its name is misspelt. Correct it, or hide the struct field with the tag `ti:\"-\"`.",
		"type Sim struct {\n\tPositon ti.Field[ti.Vec2] // the source has Position\n}", "type Sim struct {\n\tPosition ti.Field[ti.Vec2]\n}"},
	{FuncSignature, "kernel function of another signature",
		"A kernel function has the parameters and results of the kernel in Go types: f32 is float32, vec3 is [3]float32, []f32 is []float32, a struct a Go struct whose members have the same names. (Structs in a slice are used where they lie, so their members come in the order of the source.) Besides, a context.Context may come first and an error last.",
		"type Sim struct {\n\tStep func(dt float64) // func Step(dt f32)\n}", "type Sim struct {\n\tStep func(dt float32) error\n}"},
	{NotPlaced, "field not placed",
		"A field has memory once it is placed, by rt.Place, or by Place of a node of a tree. That comes before Load.",
		"var s Sim\nerr := rt.Load(source, &s)", "var s Sim\nrt.Place(ti.Shape{64, 64}, &s.X)\nerr := rt.Load(source, &s)"},
	{OtherRuntime, "field of another runtime",
		"A field belongs to the runtime that placed it; runtimes share no memory. Place it in the runtime that loads the source.",
		"one.Place(ti.Shape{8}, &s.X)\nerr := two.Load(source, &s)", "two.Place(ti.Shape{8}, &s.X)\nerr := two.Load(source, &s)"},
	{ClosedField, "field of a closed tree",
		"The tree that the field is placed in has been closed, and its memory is gone. Load before closing, or place a new field.",
		"t.Close()\nerr := rt.Load(source, &s)", "err := rt.Load(source, &s)\n// …\nt.Close()"},
	{BoundTwice, "one field under two names",
		"Two vars of a source are bound to the same field, or to a field and a part of it. The compiler relies on fields being apart. Use one name, or two fields.",
		"b := ti.Bindings{\"A\": x, \"B\": x}", "b := ti.Bindings{\"A\": x, \"B\": y}"},
	{UnreadableFile, "source file that cannot be read",
		"A file of the source is missing or unreadable, or a pattern matches none.",
		"ti.Files(os.DirFS(\".\"), \"kernel.ti\")", "ti.Files(os.DirFS(\"kernels\"), \"*.ti\")"},
	{BadLibrary, "library without a path or files, or with the path of another",
		"A library has files, and the path that sources import it by. Of two libraries with one path, the files have to be the same. By itself a library is no source: join it to one.",
		"ti.Library(\"\", ti.Files(os.DirFS(\"rng\"), \"*.ti\"))", "ti.Library(\"example.com/rng\", ti.Files(os.DirFS(\"rng\"), \"*.ti\"))"},

	{LayoutSize, "bad size",
		"A node has a size for each of its axes, or one for all of them, and each is at least 1.",
		"t.Dense(ti.IJ, 0)", "t.Dense(ti.IJ, 64, 32)"},
	{LayoutAxes, "bad axes",
		"Axes are distinct letters out of \"ijklmnop\".",
		"t.Dense(\"xy\", 64)", "t.Dense(\"ij\", 64)"},
	{LayoutTooLarge, "layout too large",
		"Indices are 32-bit integers, and the bytes of a tree must fit an address space.",
		"t.Dense(ti.I, 1<<40)", "t.Dense(ti.IJ, 1<<15, 1<<15)"},
	{LayoutTwice, "placed twice",
		"Each field, and each member of a field, has one place.",
		"t.Dense(ti.I, 8).Place(&s.X, &s.X)", "t.Dense(ti.I, 8).Place(&s.X, &s.Y)"},
	{LayoutParts, "parts of a field or a node do not agree",
		"Members of a field that are placed apart need the same axes, extents and origin, and all of them a place. An Origin is an index of the finest cells at or below the outermost node of an axis. A field or node whose cells span s of these begins at the Origin divided by s, so the Origin has to be a multiple of s.",
		"a.Dense(ti.I, 8).Place(ti.Member[float32](&s.V, \"[0]\"))\nb.Dense(ti.I, 9).Place(&s.V)",
		"a.Dense(ti.I, 8).Place(ti.Member[float32](&s.V, \"[0]\"))\nb.Dense(ti.I, 8).Place(&s.V)"},
	{LayoutFrozen, "layout changed after use",
		"A tree is fixed by the first Load or element access that concerns it.",
		"s.X.Fill(1)\nt.Dense(ti.I, 8).Place(&s.Y)", "t.Dense(ti.I, 8).Place(&s.Y)\ns.X.Fill(1)"},
	{ElementType, "not an element type",
		"Elements are numbers of a fixed size, bools, vectors [n]T and matrices [n][m]T of these, and structs of all of them. A member of a struct is exported, or has a tag `ti:\"name\"`.",
		"var x ti.Field[int]", "var x ti.Field[int32]"},
	{MemberPath, "no such member",
		"A member is named by what Go would write behind an element: \"Pos\", \"Pos[0]\", \"[1][0]\"; its type is the type argument.",
		"ti.Member[float64](&s.V, \"[0]\") // V is a Field[ti.Vec2]", "ti.Member[float32](&s.V, \"[0]\")"},
	{LayoutMemory, "out of memory",
		"The trees of the runtime need more memory than Config.MemoryLimit, or than the machine has.",
		"rt.Place(ti.Shape{1 << 30, 1 << 20}, &s.X)", "rt.Place(ti.Shape{1 << 10, 1 << 10}, &s.X)"},
	{LayoutWord, "word that does not do",
		"A bit struct or bit array has a word of 8, 16, 32 or 64 bits in each cell. What is placed in it fits there, and something is.",
		"t.Dense(ti.I, 8).BitStruct(32).Place(&s.V, ti.QuantFixed(21, 8)) // a Field[ti.Vec3]", "t.Dense(ti.I, 8).BitStruct(64).Place(&s.V, ti.QuantFixed(21, 8))"},
	{LayoutFormat, "form that the numbers cannot have",
		"QuantInt is for integers, QuantFixed and QuantFloat are for real numbers, and none has more digits than the element type. A field has one form for all of its components, or one for each. A bit array has one field of single numbers, as integers or fixed point.",
		"t.Dense(ti.I, 8).BitStruct(32).Place(&s.X, ti.QuantInt(8)) // a Field[float32]", "t.Dense(ti.I, 8).BitStruct(32).Place(&s.X, ti.QuantFixed(8, 1))"},
}
