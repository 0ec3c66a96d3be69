package mpi

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/native"
)

// A candidate is a library that has been recognised, and not initialised.
type candidate struct {
	path    string
	lib     native.Library
	abi     *abi
	version string
}

// find returns the library to use: the one that is named, or the first of the usual ones that the launcher can start.
func find(named string, l *launcher) (*candidate, error) {
	if err := native.Missing(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLibrary, err)
	}
	setEnvironment()
	if named != "" {
		found, err := recognise(named)
		if err == nil {
			err = l.starts(found.version)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrLibrary, named, err)
		}
		return found, nil
	}
	var tried []string
	for _, path := range candidates(l, runtime.GOOS, prefixes(os.LookupEnv)) {
		found, err := recognise(path)
		if err == nil {
			err = l.starts(found.version)
		}
		if err == nil {
			return found, nil
		}
		tried = append(tried, fmt.Sprintf("\n\t%s: %v", path, err))
	}
	return nil, fmt.Errorf("%w: %s started this process as rank %d, and no library fits: name one with TI_MPI=/path/to/libmpi.so, or make each process a job of its own with TI_MPI=none; tried were:%s",
		ErrLibrary, l.name, l.rank, strings.Join(tried, ""))
}

// setEnvironment sets what the transports below MPI read when they are loaded.
func setEnvironment() {
	// The signals of faults are Go's to handle.
	setCEnvironment("UCX_ERROR_SIGNALS", "", true)
	// Networks keep registrations of memory, and drop them when functions of the C library free it. Go and package memory free theirs by system calls,
	// which the transports do not see: a message could come from, or go to, pages that the process has given back.
	setCEnvironment("UCX_MEM_EVENTS", "n", false)
	setCEnvironment("OMPI_MCA_mpi_leave_pinned", "0", false)
	setCEnvironment("FI_MR_CACHE_MAX_COUNT", "0", false)
}

// prefixes returns the folders into which MPI was installed, by the environment and by the launcher.
func prefixes(lookup func(string) (string, bool)) (dirs []string) {
	for _, name := range []string{"I_MPI_ROOT", "OPAL_PREFIX", "MPI_HOME", "MPI_ROOT"} {
		if dir, _ := lookup(name); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if dir := launcherPrefix(); dir != "" && !slices.Contains(dirs, dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// The usual names of libraries, by family.
var usual = map[string]map[family][]string{
	"linux": {
		mpichFamily:   {"libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1", "libmpi_abi.so.0"},
		openMPIFamily: {"libmpi.so.40", "libmpi_abi.so.1", "libmpi_abi.so.0"},
	},
	"darwin": {
		mpichFamily:   {"libmpi.12.dylib", "libmpich.12.dylib", "libmpi_abi.1.dylib", "libmpi_abi.0.dylib"},
		openMPIFamily: {"libmpi.40.dylib", "libmpi_abi.1.dylib", "libmpi_abi.0.dylib"},
	},
	"windows": {
		mpichFamily: {"impi.dll", "msmpi.dll"},
	},
}

// candidates lists the libraries to try for a launcher: those installed beside it, then those of the system's search path.
func candidates(l *launcher, system string, prefixes []string) (paths []string) {
	var names []string
	for _, f := range []family{mpichFamily, openMPIFamily} {
		if l.family == f || l.family == anyFamily {
			for _, name := range usual[system][f] {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	folder := "lib"
	if system == "windows" {
		folder = "bin"
	}
	for _, dir := range prefixes {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, folder, name))
		}
	}
	if system == "darwin" {
		for _, name := range names {
			paths = append(paths, "/opt/homebrew/lib/"+name, "/usr/local/lib/"+name, "/opt/local/lib/"+name)
		}
	}
	return append(paths, names...)
}

// recognise opens a library for itself alone, so that those which are not used disturb nobody, and finds out what it is. The two functions that it calls may be
// called before MPI is initialised.
func recognise(path string) (*candidate, error) {
	lib, err := native.Open(path)
	if err != nil {
		return nil, err
	}
	get := lib.Symbol(symbols[getLibraryVersion])
	if get == 0 {
		return nil, fmt.Errorf("it has no function %s, so it is no MPI library", symbols[getLibraryVersion])
	}
	text, length := make([]byte, maxText), new(int32)
	native.Call(get, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(length)))
	standard, minor := new(int32), new(int32)
	if get := lib.Symbol("MPI_Abi_get_version"); get != 0 {
		native.Call(get, uintptr(unsafe.Pointer(standard)), uintptr(unsafe.Pointer(minor)))
	}
	c := &candidate{path: path, lib: lib, version: string(text[:*length])}
	c.abi, err = abiOf(c.version, *standard, lib.Symbol(openMPIABI.world.symbol) != 0)
	return c, err
}

// maxText is the longest text of any library, MPICH's version.
const maxText = 8192 + 1
