package llvm

import (
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/native"
)

// A Source is a module in LLVM IR text. Several may become one object; what is internal to
// one stays apart from the others.
//
// A source with a Name is a task: Name takes the place of [EntryName] in its text, and all
// that it has comes into sections that end in Name, see [TextSection] and [DataSection].
type Source struct {
	Text, Name string
}

// EntryName is the name of a task's function in its source, and what the names of its other
// functions begin with. The text has the word nowhere else.
const EntryName = "task"

// Named returns the text with the names that its functions get.
func (s *Source) Named() string {
	if s.Name == "" {
		return s.Text
	}
	return strings.ReplaceAll(s.Text, EntryName, s.Name)
}

// TextSection is the section of the code of a task, DataSection that of its constants but
// for those that the code generator makes.
const (
	TextSection = ".text."
	DataSection = ".rodata."
)

// parseAll reads the sources and links them. All are linked into a module that is empty at
// first: linking changes the order of functions and of uses, which the passes see, and a
// source's code must not depend on what stands before it.
func (s *session) parseAll(ctx, machine uintptr, sources []Source, o Options) (all module, err error) {
	if len(sources) == 0 {
		return module{}, s.failed("there is no source", false)
	}
	l := s.lib
	all = module{l.call(symCreateModule, uintptr(unsafe.Pointer(native.CString("kernel"))), ctx), machine}
	all.target(s, o)
	defer func() {
		if err != nil {
			l.call(symDisposeModule, all.ref)
		}
	}()
	for _, source := range sources {
		m, err := s.parse(ctx, machine, source.Named(), o)
		if err != nil {
			return module{}, err
		}
		if source.Name != "" {
			m.place(s, source.Name)
		}
		s.at("link")
		if failed(l.call(symLinkModules, all.ref, m.ref)) { // it disposes of the second
			return module{}, s.failed("the modules cannot be linked", false)
		}
	}
	return all, s.reported()
}

// place gives all functions and constants of the module their sections.
func (m module) place(s *session, name string) {
	l := s.lib
	text, data := native.CString(TextSection+name), native.CString(DataSection+name)
	for f := l.call(symGetFirstFunction, m.ref); f != 0; f = l.call(symGetNextFunction, f) {
		if l.call(symIsDeclaration, f)&0xff == 0 {
			l.call(symSetSection, f, uintptr(unsafe.Pointer(text)))
		}
	}
	for g := l.call(symGetFirstGlobal, m.ref); g != 0; g = l.call(symGetNextGlobal, g) {
		if l.call(symIsDeclaration, g)&0xff == 0 && !strings.HasPrefix(l.valueName(g), "llvm.") {
			l.call(symSetSection, g, uintptr(unsafe.Pointer(data)))
		}
	}
}

// valueName returns the name of a global.
func (l *Lib) valueName(v uintptr) string {
	var n uintptr
	at := l.call(symGetValueName, v, uintptr(unsafe.Pointer(&n)))
	return string(memory.Bytes(at, int(n)))
}
