package ti

import (
	"io/fs"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/session"
)

// Load checks a kernel source, binds it to host, a pointer to a struct or
// [Bindings], and fills in the kernel functions of the struct. It is short for
//
//	_, err := rt.Compile(ti.Text("", source), host)
//
// Errors in a raw string are reported at their place in the Go file that has it,
// and those in an embedded file at their place there, if that can be read;
// otherwise as lines of the source.
//
// # Binding a struct
//
// A struct field stands for the declaration of the same name in the source; a tag
// `ti:"name"` gives another name, `ti:"-"` hides it, and embedded structs are part
// of the struct. What it is bound to depends on its type:
//
//	Field[T], *Field[T]       var X field[…]   element type and rank are checked
//	*Node                     var B node
//	numbers, bools, arrays    var N i32        a compile-time constant, read at each launch: a
//	                                           new value makes a new instance of the kernels
//	                                           that use it; any Go integer that fits will do
//	arrays, structs of these  var R [4]field[f32], var S Level
//	func                      func Name(…)     a kernel: Load sets it
//
// Fields, nodes and bundles may be held by pointers, and other pointers may be stored
// there after Load: a launch takes what it finds. Two fields of a double buffer trade
// places by
//
//	s.A, s.B = s.B, s.A // of type *ti.Field[float32]
//
// A field that takes the place of another must have its layout: the same elements, extents
// and lowest indices, under nodes of the same kinds and sizes, with the same strides. The
// launch fails with [ErrArgs] if it has not, or if two vars that the kernel uses share
// memory. Fields with trees of their own share the kernel's code; for fields that lie in
// one tree it is compiled once for each arrangement. Structs that are embedded by a
// pointer, and [Bindings], are read by Load alone.
//
// Every var of the source must be bound. Struct fields with no counterpart are
// ignored, but for fields and functions, whose names must be misspelt.
//
// # Kernel functions
//
// A kernel function has the parameters and results of the kernel, in Go types. A
// compile-time parameter is a *Field[T], a *Node, an [AnyField], or a constant of
// any parameter type; an instance of the kernel is made, at its first launch, for
// each distinct combination. There may be, besides, a context.Context as first
// parameter and an error as last result:
//
//	Step   func(dt float32)                          // panics when it fails
//	Energy func() (float32, error)
//	Relax  func(ctx context.Context, n int) error    // ends early when ctx is done
//
// When ctx is done, a launch that has it ends within a second and returns an error for
// which errors.Is finds ctx.Err(). It stops between loops, between the pieces into which a
// parallel loop is cut for the threads, and within loops that may run long, also serial
// and endless ones. Fields then hold part of the results. A launch also gives up when ctx
// is done while it waits for the kernel to be compiled, or for other launches.
//
// # Cost
//
// The common kernel functions (up to two scalars or slices, or one vector, with or
// without an error; or no parameter and one number) cost some ten nanoseconds
// besides the call into native code, and allocate nothing. Others are made by
// reflect.MakeFunc and cost a few hundred nanoseconds and some small allocations
// more. [Kernel.Launch] costs little more than the common ones, whatever the
// signature, and allocates only results.
func (rt *Runtime) Load(source string, host any) error {
	_, err := rt.Compile(Text("", source), host)
	return err
}

// Compile is [Runtime.Load] for a source of one or several files, and returns the
// program, for callers that launch by name or look inside. A nil host binds
// nothing.
func (rt *Runtime) Compile(source Source, host any) (*Program, error) {
	p, err := (*session.Runtime)(rt).Compile(source.core, hostOf(host))
	return (*Program)(p), err
}

// hostOf is what a host is below.
func hostOf(host any) any {
	if m, ok := host.(Bindings); ok {
		return bind.Bindings(m)
	}
	return host
}

// Bindings binds vars of a source without a struct: values of type *Field[T],
// *Node, numbers, bools, and arrays and structs of these, by name.
type Bindings map[string]any

// A Source is the text of a kernel package.
type Source struct{ core bind.Source }

// Text is a source of one file, named in error messages.
func Text(name, text string) Source { return Source{bind.Text(name, text)} }

// Join is the source of all files of some sources, which have to be of one package, with the libraries of each.
func Join(sources ...Source) Source {
	var all []bind.Source
	for _, s := range sources {
		all = append(all, s.core)
	}
	return Source{bind.Join(all...)}
}

// Aside is s for a Go package that launches kernels on behalf of other programs, as package optim does. Its launches draw random
// numbers of a sequence of their own: a program draws the same numbers whether or not it uses the package, however often that
// launches. All else is as for any source; a profile shows the launches, and a tape notes them.
//
//	p, err := rt.Compile(ti.Text("adam.ti", source).Aside(), nil)
func (s Source) Aside() Source { return Source{s.core.Aside()} }

// Files is the source in the files that match the patterns (see path.Match), all
// of one package, in order of their names. Compile reports files that cannot be
// read, and a pattern that matches none.
func Files(fsys fs.FS, patterns ...string) Source {
	return Source{bind.Files(fsys, patterns...)}
}

// Library is a package of device functions, types and constants that other sources import by its path. A Go package
// offers one in a variable:
//
//	//go:embed *.ti
//	var files embed.FS
//
//	// Kernels is what sources import as "example.com/rng".
//	var Kernels = ti.Library("example.com/rng", ti.Files(files, "*.ti"))
//
// and a program joins it to the source that imports it:
//
//	rt.Compile(ti.Join(ti.Text("", source), rng.Kernels), &host)
//
// A library that imports others has these joined to its files. One that comes by several ways is joined once.
func Library(path string, source Source) Source {
	return Source{bind.Library(path, source.core)}
}
