package diag

import (
	"go/token"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// between are the packages, beside this one and package ti, whose functions stand between a program and a mistake that
// it makes.
var between = []string{"bind", "flow", "front", "gradient", "observe", "session", "store", "variant"}

// User returns the position of the innermost call from outside of package ti and of the packages that it is made of:
// where a program has made a mistake.
func User() token.Position {
	f := UserFrame()
	if f.File == "" {
		return token.Position{}
	}
	return token.Position{Filename: ShortPath(f.File), Line: f.Line}
}

// UserFrame is the frame of that call. It goes by the file of a call, not by its function: a
// closure that is inlined is named after the function that it is inlined into.
func UserFrame() runtime.Frame {
	_, file, _, _ := runtime.Caller(0)
	own := path.Dir(file)
	internal := path.Dir(own)
	api := path.Dir(internal)
	isOurs := func(dir string) bool {
		return dir == own || dir == api || path.Dir(dir) == internal && slices.Contains(between, path.Base(dir))
	}
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if !isOurs(path.Dir(f.File)) || strings.HasSuffix(f.File, "_test.go") {
			return f
		}
		if !more {
			return runtime.Frame{}
		}
	}
}

// ShortPath names a file relative to the working directory where that is shorter.
func ShortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	return rel
}
