package front

import (
	"debug/elf"
	"os"
	"runtime/debug"
)

// ModulePath is that of this package.
const ModulePath = "github.com/gotaichi/ti"

// compilerVersion identifies this version of the compiler: the module's version and sum,
// or, of what is being worked on, the build of the program. It is empty if neither is known.
func compilerVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == ModulePath && m.Replace == nil && m.Sum != "" {
			return m.Version + " " + m.Sum + " " + info.GoVersion
		}
	}
	return buildID()
}

// Version is this package's, for people: "(devel)" while it is being worked on.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == ModulePath && m.Replace == nil && m.Version != "" {
				return m.Version
			}
		}
	}
	return "(devel)"
}

// buildID is the ID that the Go linker has put into this program, which distinguishes its content from that of
// others; "" if it cannot be read.
func buildID() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil {
		return ""
	}
	return "build " + string(data)
}
