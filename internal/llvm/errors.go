package llvm

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// What can be wrong with a libLLVM; [errors.Is] finds them in an [Unusable].
var (
	ErrMissing = errors.New("libLLVM is not installed")
	ErrTooOld  = errors.New("libLLVM is too old")
	ErrDamaged = errors.New("libLLVM is damaged or not a library")
)

// ErrStopped is the error of a compilation that [Options.Stop] has ended.
var ErrStopped = errors.New("compilation was cancelled")

// MinMajor is the oldest major version that can be used: the first whose
// pointers have no element type unless told otherwise.
const MinMajor = 15

// An Unusable says which library could not be used, why, and what to do.
type Unusable struct {
	Path   string // the file; "" when none was found
	Reason error  // ErrMissing, ErrTooOld or ErrDamaged
	Detail string
}

func (e *Unusable) Error() string {
	var b strings.Builder
	b.WriteString(e.Reason.Error())
	if e.Path != "" {
		fmt.Fprintf(&b, ": %s", e.Path)
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	b.WriteString("; " + remedy(runtime.GOOS, runtime.GOARCH))
	return b.String()
}

func (e *Unusable) Unwrap() error { return e.Reason }

// remedy says how to get a usable libLLVM on a system.
func remedy(goos, goarch string) string {
	const orPoint = ", or set " + EnvPath + " to the path of a libLLVM of version 15 or newer"
	switch goos {
	case "darwin":
		return "install one with: brew install llvm" + orPoint
	case "windows":
		return "install LLVM from https://releases.llvm.org" + orPoint
	}
	const packages = "apt-get install libllvm19 (or dnf install llvm-libs)"
	if goos == "linux" && goarch == "amd64" {
		return "get one with: go run github.com/gotaichi/ti/cmd/ti setup, which needs no root, or " + packages + orPoint
	}
	return "install one with: " + packages + orPoint
}

// A CompileError is what libLLVM found wrong with a text. The texts are our
// own, so it is a mistake of the code generator and not of the user.
type CompileError struct {
	Stage   string // "parse", "verify", "optimise", "emit", "target"
	Message string
	Fatal   bool // libLLVM would have ended the process
}

func (e *CompileError) Error() string {
	kind := "error"
	if e.Fatal {
		kind = "fatal error"
	}
	return fmt.Sprintf("libLLVM reports a %s while it should %s the generated code: %s", kind, e.Stage, strings.TrimSpace(e.Message))
}

// A FrameError says that a function uses more stack than [Options.MaxFrame].
type FrameError struct {
	Function string
	Bytes    int64
	Max      int64
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("%s needs %d bytes of stack for its local values, and a thread has %d for it; use fewer or smaller local arrays, or divide the loop", e.Function, e.Bytes, e.Max)
}

// largeFrame matches libLLVM's warning; newer versions put a source position before it.
var largeFrame = regexp.MustCompile(`(?:^|: )stack frame size \((\d+)\) exceeds limit \((\d+)\) in function '([^']*)'`)

// frameError returns the *FrameError that a message of libLLVM stands for, nil for other messages.
func frameError(message string) error {
	m := largeFrame.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	e := &FrameError{Function: m[3]}
	e.Bytes, _ = strconv.ParseInt(m[1], 10, 64)
	e.Max, _ = strconv.ParseInt(m[2], 10, 64)
	return e
}
