package llvm

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/native"
)

// Options say for what and how to compile.
type Options struct {
	Triple   string   // such as "x86_64-unknown-linux-gnu"; "" is the library's, of [HostTriple] or [Lib.For]
	CPU      string   // "" is the host's
	Features string   // "" is the host's when CPU is "", else none
	OptLevel int      // of the code generator: 0 to 3
	Passes   []string // pipelines to run in turn, such as "default<O3>"; may be empty
	NoVector bool     // switches the vectorisers off
	MaxFrame int      // bytes of stack that a function may use, 0 for any number; more is a [FrameError]

	// Stop is closed to give up the compilation, which then returns [ErrStopped]. It may be
	// nil. It is checked between stages only, since libLLVM cannot be interrupted.
	Stop <-chan struct{}

	// Functions with the string attribute InlineLate stay out of line while Passes
	// run, and are inlined by LatePasses, which run after them where there is such
	// a function: the loop vectoriser must see a call to put the call of a lane
	// variant in its place. Variants are to be kept alive by llvm.compiler.used,
	// which is dropped then. Neither happens when LatePasses is empty. Sources are compiled
	// together if all of them have such functions, or none: the code of one must not
	// depend on the others.
	InlineLate, LatePasses string
}

// Late reports whether the source has functions that are inlined late.
func (o *Options) Late(s Source) bool {
	return o.LatePasses != "" && strings.Contains(s.Text, strconv.Quote(o.InlineLate))
}

// HostTriple is the target of code for this process. The objects are ELF on
// every system, because the loader is our own; only the architecture differs.
func HostTriple() string { return tripleOf(runtime.GOARCH) }

func tripleOf(goarch string) string {
	return map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch] + "-unknown-linux-gnu"
}

// Compile turns sources into one object file.
func (l *Lib) Compile(o Options, sources ...Source) (object []byte, err error) {
	const fileTypeObject = 1
	return l.produce(o, sources, func(s *session, m module) ([]byte, error) { return m.emit(s, fileTypeObject) })
}

// Assembly is Compile with assembly text as its outcome, for people to read.
func (l *Lib) Assembly(o Options, sources ...Source) (string, error) {
	const fileTypeAssembly = 0
	text, err := l.produce(o, sources, func(s *session, m module) ([]byte, error) { return m.emit(s, fileTypeAssembly) })
	return string(text), err
}

// Optimize runs the pipelines and returns the module as text, for people to
// read.
func (l *Lib) Optimize(o Options, sources ...Source) (string, error) {
	text, err := l.produce(o, sources, func(s *session, m module) ([]byte, error) {
		return []byte(l.text(l.call(symPrintModule, m.ref))), nil
	})
	return string(text), err
}

// produce parses, verifies, links and optimises sources and hands the module to finish.
func (l *Lib) produce(o Options, sources []Source, finish func(*session, module) ([]byte, error)) (out []byte, err error) {
	if l.load != nil {
		if err := l.load(); err != nil {
			return nil, err
		}
	}
	err = l.guarded(func(s *session) error {
		if err := o.stopped(); err != nil {
			return err
		}
		for i := range sources {
			if o.Late(sources[i]) != o.Late(sources[0]) {
				return s.failed("sources with and without functions that are inlined late", false)
			}
		}
		ctx := l.call(symContextCreate)
		defer l.call(symContextDispose, ctx)
		l.call(symContextSetDiagnosticHandler, ctx, callbacks().diagnostic, s.id)
		machine, err := s.targetMachine(o)
		if err != nil {
			return err
		}
		defer l.call(symDisposeTargetMachine, machine)
		m, err := s.parseAll(ctx, machine, sources, o)
		if err != nil {
			return err
		}
		defer l.call(symDisposeModule, m.ref)
		s.module = m.ref
		m.limitFrames(s, ctx, o.MaxFrame)
		if err := m.optimise(s, o); err != nil {
			return err
		}
		if err := o.stopped(); err != nil {
			return err
		}
		out, err = finish(s, m)
		return err
	})
	return out, err
}

// stopped returns ErrStopped once Stop is closed.
func (o *Options) stopped() error {
	select {
	case <-o.Stop:
		return ErrStopped
	default:
		return nil
	}
}

// A module is a parsed one and the machine it is for.
type module struct{ ref, machine uintptr }

// targetMachine makes the LLVM object that knows the target.
func (s *session) targetMachine(o Options) (uintptr, error) {
	const relocPIC, modelSmall = 2, 3
	s.at("target")
	l := s.lib
	o.Triple, o.CPU, o.Features = l.target(o)
	triple := native.CString(o.Triple)
	var target, message uintptr
	if failed(l.call(symGetTargetFromTriple, uintptr(unsafe.Pointer(triple)), uintptr(unsafe.Pointer(&target)), uintptr(unsafe.Pointer(&message)))) {
		return 0, s.failed(l.text(message), false)
	}
	machine := l.call(symCreateTargetMachine, target, uintptr(unsafe.Pointer(triple)),
		uintptr(unsafe.Pointer(native.CString(o.CPU))), uintptr(unsafe.Pointer(native.CString(o.Features))),
		uintptr(o.OptLevel), relocPIC, modelSmall)
	if machine == 0 {
		return 0, s.failed("there is no target machine for "+o.Triple, false)
	}
	return machine, nil
}

// parse reads and verifies the text and sets the module's target.
func (s *session) parse(ctx, machine uintptr, irText string, o Options) (module, error) {
	s.at("parse")
	l := s.lib
	if strings.IndexByte(irText, 0) >= 0 {
		return module{}, s.failed("the text has a zero byte", false)
	}
	data := native.CString(irText)
	buffer := l.call(symCreateMemoryBuffer, uintptr(unsafe.Pointer(data)), uintptr(len(irText)),
		uintptr(unsafe.Pointer(native.CString("kernel.ll"))))
	var ref, message uintptr
	// The parser takes the buffer and frees it, whatever the outcome.
	if failed(l.call(symParseIR, ctx, buffer, uintptr(unsafe.Pointer(&ref)), uintptr(unsafe.Pointer(&message)))) {
		return module{}, s.failed(l.text(message), false)
	}
	m := module{ref, machine}
	m.target(s, o)
	if err := m.verify(s); err != nil {
		l.call(symDisposeModule, ref)
		return module{}, err
	}
	return m, nil
}

// target sets the target of the module.
func (m module) target(s *session, o Options) {
	l := s.lib
	layout := l.call(symCreateTargetDataLayout, m.machine)
	l.call(symSetModuleDataLayout, m.ref, layout)
	l.call(symDisposeTargetData, layout)
	triple, _, _ := l.target(o)
	l.call(symSetTarget, m.ref, uintptr(unsafe.Pointer(native.CString(triple))))
}

// verify checks the module: passes may crash on one that is not well formed.
func (m module) verify(s *session) error {
	const returnStatus = 2
	s.at("verify")
	var message uintptr
	bad := s.lib.call(symVerifyModule, m.ref, returnStatus, uintptr(unsafe.Pointer(&message)))
	text := s.lib.text(message)
	if failed(bad) {
		return s.failed(text, false)
	}
	return s.reported()
}

// optimise runs the pipelines in turn.
func (m module) optimise(s *session, o Options) error {
	s.at("optimise")
	l := s.lib
	options := l.call(symCreatePassBuilderOptions)
	defer l.call(symDisposePassBuilderOptions, options)
	vector := uintptr(1)
	if o.NoVector {
		vector = 0
	}
	l.call(symSetLoopVectorization, options, vector)
	l.call(symSetSLPVectorization, options, vector)
	l.call(symSetLoopInterleaving, options, vector)
	l.call(symSetLoopUnrolling, options, 1)
	for _, pipeline := range o.Passes {
		if err := m.run(s, pipeline, options); err != nil {
			return err
		}
	}
	if o.LatePasses != "" && m.releaseLate(l, o.InlineLate) {
		return m.run(s, o.LatePasses, options)
	}
	return nil
}

// run runs one pipeline.
func (m module) run(s *session, pipeline string, options uintptr) error {
	l := s.lib
	pipeline = unverified(pipeline, l.version.Major)
	e := l.call(symRunPasses, m.ref, uintptr(unsafe.Pointer(native.CString(pipeline))), m.machine, options)
	if e != 0 {
		message := l.call(symGetErrorMessage, e)
		text := native.String(message)
		l.call(symDisposeErrorMessage, message)
		return s.failed(fmt.Sprintf("pipeline %q: %s", pipeline, text), false)
	}
	return s.reported()
}

var instCombine = regexp.MustCompile(`(^|[(,])instcombine(<[^>]*>)?`)

// unverified tells instcombine, where a pipeline names it without parameters, not
// to verify that another round would find nothing. Since version 18 it does
// so unless told otherwise, for LLVM's own tests, and ends the process if it
// would.
func unverified(pipeline string, major int) string {
	if major < 18 {
		return pipeline
	}
	return instCombine.ReplaceAllStringFunc(pipeline, func(pass string) string {
		if strings.HasSuffix(pass, ">") {
			return pass
		}
		return pass + "<no-verify-fixpoint>"
	})
}

// functionIndex stands for a function itself among its attributes.
const functionIndex = 0xFFFFFFFF

// limitFrames makes the code generator report functions that use more than most bytes of
// stack; see [onDiagnostic]. It does nothing if most is 0.
func (m module) limitFrames(s *session, ctx uintptr, most int) {
	if most <= 0 {
		return
	}
	l := s.lib
	kind, limit := "warn-stack-size", strconv.Itoa(most)
	attribute := l.call(symCreateStringAttribute, ctx, uintptr(unsafe.Pointer(native.CString(kind))), uintptr(len(kind)),
		uintptr(unsafe.Pointer(native.CString(limit))), uintptr(len(limit)))
	for f := l.call(symGetFirstFunction, m.ref); f != 0; f = l.call(symGetNextFunction, f) {
		l.call(symAddAttribute, f, functionIndex, attribute)
	}
}

// releaseLate lets the functions with the string attribute name be inlined, and
// reports whether there are any.
func (m module) releaseLate(l *Lib, name string) bool {
	const noinline, used = "noinline", "llvm.compiler.used"
	kind := uint32(l.call(symGetEnumAttributeKind, uintptr(unsafe.Pointer(native.CString(noinline))), uintptr(len(noinline))))
	found := false
	for f := l.call(symGetFirstFunction, m.ref); f != 0; f = l.call(symGetNextFunction, f) {
		if l.call(symGetStringAttribute, f, functionIndex, uintptr(unsafe.Pointer(native.CString(name))), uintptr(len(name))) != 0 {
			l.call(symRemoveEnumAttribute, f, functionIndex, uintptr(kind))
			found = true
		}
	}
	if g := l.call(symGetNamedGlobal, m.ref, uintptr(unsafe.Pointer(native.CString(used)))); found && g != 0 {
		l.call(symDeleteGlobal, g)
	}
	return found
}

// emit generates code.
func (m module) emit(s *session, fileType uintptr) ([]byte, error) {
	s.at("emit")
	l := s.lib
	var message, buffer uintptr
	if failed(l.call(symEmitToMemoryBuffer, m.machine, m.ref, fileType, uintptr(unsafe.Pointer(&message)), uintptr(unsafe.Pointer(&buffer)))) {
		return nil, s.failed(l.text(message), false)
	}
	defer l.call(symDisposeMemoryBuffer, buffer)
	if err := s.reported(); err != nil {
		return nil, err
	}
	view := memory.Bytes(l.call(symGetBufferStart, buffer), int(l.call(symGetBufferSize, buffer)))
	return append([]byte(nil), view...), nil
}
