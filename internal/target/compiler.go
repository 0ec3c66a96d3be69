package target

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
)

// A Compiler is the half of a target that makes code. The other half, [Machine], runs it.
type Compiler interface {
	Traits() Traits

	// Stages names the texts that [Translation.Text] gives, in the order in which they are
	// made.
	Stages() []string

	// Identity tells what the code of tasks depends on beside them and the options: what
	// makes it, and for which processor. It is an error if that cannot be told; such code
	// must not be kept.
	Identity(o Options) (string, error)

	// Translate begins with the tasks of a kernel that the passes have been over. It fails
	// with a [TooLarge] if the kernel comes to more than there is room for.
	Translate(k *ir.Kernel, o Options) (Translation, error)
}

// Options say how code is made.
type Options struct {
	option.Options
	MaxText int             // bytes that the tasks may come to in the target's language; 0 for any number
	Slots   Slots           // shared by kernels that are compiled at once; may be nil
	Stop    <-chan struct{} // closed when nobody wants the outcome any more; may be nil
	Made    func(Made)      // called for each module, from any goroutine; may be nil
}

// Made is a module that a target has made code of.
type Made struct {
	Names      []string // of its tasks and functions
	Text, Code int      // bytes
	Took       time.Duration
}

// Slots bounds how many modules are compiled at once: each takes a processor, and
// megabytes of memory.
type Slots chan struct{}

// NewSlots makes as many as there are processors.
func NewSlots() Slots { return make(Slots, runtime.GOMAXPROCS(0)) }

// A Translation is a kernel's tasks in the language of a target.
type Translation interface {
	// Pieces makes the code of each task, in their order, and then of the functions that
	// tasks call, if there are any. It fails with a [StackError] for a task that needs too
	// much of the stack.
	Pieces() ([]launch.Piece, error)

	// Keys tells the code of each piece from that of all that differ. There are none
	// if the compiler cannot say which it is.
	Keys() []Key

	// Text returns what the tasks are at a stage.
	Text(stage string) (string, error)

	// Measure makes the code and says what has become of it.
	Measure() (*Measurement, error)
}

// A Key says what code is about: equal keys, equal code.
type Key [sha256.Size]byte

// A Measurement is what people are told of code.
type Measurement struct {
	Text  string         // the tasks as the target's own optimiser leaves them; "" for none
	Sizes map[string]int // bytes of code of each function
	Total int            // bytes of code and constants

	Same map[string]string // functions that have the code of another, which is measured
}

// Function is the name under which a task's code is measured.
func (m *Measurement) Function(t *ir.Task) string {
	name := Symbol(t)
	if first, again := m.Same[name]; again {
		return first
	}
	return name
}

// TooLarge is the error of a kernel that comes to more text than it may.
type TooLarge struct {
	Bytes    int // that it may come to
	Language string
}

func (e *TooLarge) Error() string { return fmt.Sprintf("%d bytes of code for %s", e.Bytes, e.Language) }

// Unsupported is the error of a target that has no translation for something yet.
type Unsupported struct {
	Target, What string // as in "sparse trees"
	Pos          ir.Pos
}

func (e *Unsupported) Error() string {
	return fmt.Sprintf("the %s target does not have %s", e.Target, e.What)
}

// Absent is the error of a compiler that nobody has chosen and that cannot be used: another target may stand in. Where people have
// chosen it, in the environment, they are told what is wrong with it.
type Absent struct{ Why error }

func (e *Absent) Error() string { return e.Why.Error() }

// Unwrap returns what is wrong.
func (e *Absent) Unwrap() error { return e.Why }

// ErrNoLibrary is the error of a compiler that translates tasks and has not what makes code
// of them.
var ErrNoLibrary = errors.New("needs LLVM")

// StackError is the error of a task that needs more stack than it may.
type StackError struct {
	Task       *ir.Task
	Bytes, Max int64
}

func (e *StackError) Error() string {
	return fmt.Sprintf("the task needs %d bytes of stack, and a thread has %d", e.Bytes, e.Max)
}

// Symbol is the name of a task's function, and of its piece.
func Symbol(t *ir.Task) string { return fmt.Sprintf("task%d", t.Index) }
