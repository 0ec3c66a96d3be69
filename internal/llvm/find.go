package llvm

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// EnvPath is the environment variable that names the libLLVM to use: a file, or
// a directory that holds one.
const EnvPath = "TI_LIBLLVM"

// A Candidate is a file that is a libLLVM by its name.
type Candidate struct {
	Path  string
	Major int // by the name; 0 when the name does not say
}

var (
	fileName = regexp.MustCompile(`^(libLLVM|LLVM-C)([-.].*)?\.(so|dylib|dll)([.0-9]*)$`)
	digits   = regexp.MustCompile(`[0-9]+`)
)

// Find lists the libraries on this machine, newest first, each file once.
func Find() []Candidate {
	dirs := searchDirs(runtime.GOOS, runtime.GOARCH, os.Getenv)
	if fetched := fetchedLib(); fetched != "" {
		dirs = append(dirs, fetched)
	}
	return findIn(dirs)
}

func findIn(dirs []string) []Candidate {
	var found []Candidate
	visited := map[string]bool{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // most of these directories do not exist on a given machine
		}
		for _, e := range entries {
			if !fileName.MatchString(e.Name()) {
				continue
			}
			real, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name()))
			if err != nil || visited[real] {
				continue
			}
			visited[real] = true
			found = append(found, Candidate{real, majorOf(real)})
		}
	}
	slices.SortStableFunc(found, func(a, b Candidate) int { return cmp.Compare(b.Major, a.Major) })
	return found
}

// majorOf reads the version from names such as libLLVM.so.19.1, libLLVM-15.so.1,
// libLLVM-14.0.6.so, or from the directory, as in opt/llvm@18/lib/libLLVM.dylib.
func majorOf(path string) int {
	for _, name := range []string{filepath.Base(path), versionedDir(path)} {
		if n, err := strconv.Atoi(digits.FindString(name)); err == nil {
			return n
		}
	}
	return 0
}

// versionedDir is the part of path that starts with llvm and has a number.
func versionedDir(path string) string {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(strings.ToLower(part), "llvm") && digits.MatchString(part) {
			return part
		}
	}
	return ""
}

// searchDirs lists where a libLLVM may lie on a system. Patterns are expanded.
func searchDirs(goos, goarch string, getenv func(string) string) []string {
	var patterns []string
	list := func(env string) { patterns = append(patterns, filepath.SplitList(getenv(env))...) }
	switch goos {
	case "windows":
		list("PATH")
		patterns = append(patterns, `C:\Program Files\LLVM\bin`)
	case "darwin":
		list("DYLD_LIBRARY_PATH")
		patterns = append(patterns, "/opt/homebrew/opt/llvm*/lib", "/usr/local/opt/llvm*/lib",
			"/opt/homebrew/lib", "/usr/local/lib", "/opt/local/libexec/llvm-*/lib")
	default:
		list("LD_LIBRARY_PATH")
		triple := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[goarch]
		patterns = append(patterns, "/usr/local/lib", "/usr/lib/"+triple, "/usr/lib/llvm-*/lib",
			"/usr/lib64", "/usr/lib64/llvm*/lib", "/usr/lib/llvm*/lib", "/usr/lib", "/opt/llvm*/lib")
	}
	var dirs []string
	for _, p := range patterns {
		if p == "" {
			continue // an empty element of a search path is the working directory: not for us
		}
		if !strings.Contains(p, "*") {
			dirs = append(dirs, p)
			continue
		}
		matches, _ := filepath.Glob(p) // its only error is a malformed pattern
		dirs = append(dirs, matches...)
	}
	return dirs
}

// sonames are the names under which the system's own loader may know a libLLVM
// that lies in none of the usual directories.
func sonames(goos string) []string {
	switch goos {
	case "windows":
		return []string{"LLVM-C.dll"}
	case "darwin":
		return []string{"libLLVM.dylib"}
	}
	var names []string
	for major := 30; major >= MinMajor; major-- {
		if major > 18 { // from here on the minor version is in the name
			names = append(names, "libLLVM.so."+strconv.Itoa(major)+".1")
		}
		names = append(names, "libLLVM-"+strconv.Itoa(major)+".so", "libLLVM-"+strconv.Itoa(major)+".so.1")
	}
	return names
}
