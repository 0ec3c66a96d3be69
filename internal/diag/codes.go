package diag

// NotBound is the mistake of a source that declares what the host does not bind.
const NotBound Code = 701

// Mistakes in the host program: in binding a source to it, and in layouts. Their
// positions are in Go files, and so are their examples.
const (
	HostType       Code = 710
	Unexported     Code = 711
	NoCounterpart  Code = 712
	FuncSignature  Code = 713
	NotPlaced      Code = 714
	OtherRuntime   Code = 715
	ClosedField    Code = 716
	BoundTwice     Code = 717
	UnreadableFile Code = 718
	BadLibrary     Code = 719

	LayoutSize     Code = 801
	LayoutAxes     Code = 802
	LayoutTooLarge Code = 803
	LayoutTwice    Code = 804
	LayoutParts    Code = 805
	LayoutFrozen   Code = 806
	ElementType    Code = 807
	MemberPath     Code = 808
	LayoutMemory   Code = 809
	LayoutWord     Code = 810
	LayoutFormat   Code = 811
)

// InHost reports whether the mistake is one of the host program, so that Wrong
// and Right of its explanation are Go and not kernel sources.
func (c Code) InHost() bool { return c >= HostType && c < 900 }

// IsWarning reports whether a code is of a warning: the source can be compiled.
func (c Code) IsWarning() bool { return c >= 900 && c < 1000 }
