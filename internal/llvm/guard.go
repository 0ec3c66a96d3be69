package llvm

import (
	"runtime"
	"sync"

	"github.com/gotaichi/ti/internal/native"
)

// A session is one compilation on its own thread.
type session struct {
	lib *Lib
	id  uintptr

	module uintptr // what is compiled, once it is parsed; only this session's thread touches it

	done chan error // takes the outcome; has room for it, so no sender waits

	mu       sync.Mutex
	stage    string
	problems []string // errors that libLLVM reported without stopping
	frame    error    // the first *FrameError
}

// running leads from a thread to the session it runs, and from a session's
// number, which libLLVM hands to the diagnostic handler, to the session.
var running struct {
	sync.Mutex
	next     uintptr
	byThread map[uintptr]*session
	byID     map[uintptr]*session
}

// guarded runs f on a thread of its own and returns its error, or the fatal
// error that libLLVM met meanwhile. In that case the thread never comes back:
// libLLVM has no way to go on from there.
func (l *Lib) guarded(f func(*session) error) error {
	s := &session{lib: l, done: make(chan error, 1)}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread := native.ThreadID()
		s.enter(thread)
		defer s.leave(thread)
		s.done <- f(s)
	}()
	return <-s.done
}

func (s *session) enter(thread uintptr) {
	running.Lock()
	defer running.Unlock()
	if running.byThread == nil {
		running.byThread, running.byID = map[uintptr]*session{}, map[uintptr]*session{}
	}
	running.next++
	s.id = running.next
	running.byThread[thread], running.byID[s.id] = s, s
}

func (s *session) leave(thread uintptr) {
	running.Lock()
	defer running.Unlock()
	delete(running.byThread, thread)
	delete(running.byID, s.id)
}

// at notes what the session is about to do, for messages.
func (s *session) at(stage string) {
	s.mu.Lock()
	s.stage = stage
	s.mu.Unlock()
}

// failed makes the error for a message at the present stage.
func (s *session) failed(message string, fatal bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &CompileError{Stage: s.stage, Message: message, Fatal: fatal}
}

// reported is the first error that the diagnostic handler was given.
func (s *session) reported() error {
	s.mu.Lock()
	first, frame := "", s.frame
	if len(s.problems) > 0 {
		first = s.problems[0]
	}
	s.mu.Unlock()
	if first == "" {
		return frame
	}
	return s.failed(first, false)
}

// handlers are the C function pointers that libLLVM calls.
type handlers struct{ fatal, diagnostic uintptr }

// callbacks makes the handlers once for the process: C function pointers to Go
// are few and never freed.
var callbacks = sync.OnceValue(func() handlers {
	return handlers{
		fatal:      native.Callback(onFatal),
		diagnostic: native.Callback(onDiagnostic),
	}
})

// onFatal is called by libLLVM when it wants to end the process. It must not
// return, so it parks the thread for good after telling the waiting caller.
func onFatal(reason uintptr) uintptr {
	message := native.String(reason)
	thread := native.ThreadID()
	running.Lock()
	s := running.byThread[thread]
	delete(running.byThread, thread)
	if s != nil {
		delete(running.byID, s.id)
	}
	running.Unlock()
	if s != nil {
		s.done <- s.failed(message, true)
	}
	select {}
}

// onDiagnostic collects the errors that libLLVM reports through a context, and its
// warnings about large frames. What passes report of their work goes to
// [session.remarked]. Without a handler, an error would end the process.
func onDiagnostic(info, id uintptr) uintptr {
	running.Lock()
	s := running.byID[id]
	running.Unlock()
	const severityError, severityWarning, severityRemark = 0, 1, 2
	if s == nil {
		return 0
	}
	severity := uint32(s.lib.call(symGetDiagInfoSeverity, info))
	if severity > severityRemark {
		return 0
	}
	message := s.lib.text(s.lib.call(symGetDiagInfoDescription, info))
	if severity == severityRemark {
		s.remarked(message)
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if severity == severityError {
		s.problems = append(s.problems, message)
	} else if frame := frameError(message); frame != nil && s.frame == nil {
		s.frame = frame
	}
	return 0
}
