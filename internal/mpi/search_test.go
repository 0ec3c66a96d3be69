package mpi

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/native"
)

// TestABIOf recognises libraries by what they say of themselves.
func TestABIOf(t *testing.T) {
	for _, tt := range []struct {
		version  string
		standard int32
		symbols  bool
		want     *abi
		family   family
		short    string
	}{
		{"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45", 0, false, &mpichABI, mpichFamily, "MPICH 4.0.2"},
		{"MPICH Version:      5.0.2\nMPICH Release date: Fri", -1, false, &mpichABI, mpichFamily, "MPICH 5.0.2"},
		{"MPICH Version:      5.0.2\nMPICH Release date: Fri", 1, false, &standardABI, mpichFamily, "MPICH 5.0.2"},
		{"Intel(R) MPI Library 2021.19.0 for Linux* OS\n", -1, false, &mpichABI, mpichFamily, "Intel(R) MPI Library 2021.19.0 for Linux* OS"},
		{"MVAPICH2 Version      :\t2.3.7", 0, false, &mpichABI, mpichFamily, "MVAPICH2 Version : 2.3.7"},
		{"MPI VERSION    : CRAY MPICH version 8.1.27.26 (ANL base 3.4a2)", 0, false, &mpichABI, mpichFamily, "MPI VERSION : CRAY MPICH version 8.1.27.26 (ANL base 3.4a2)"},
		{"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", 0, true, &openMPIABI, openMPIFamily, "Open MPI v4.1.4"},
		{"Open MPI v6.0.0, package: …", 1, true, &standardABI, openMPIFamily, "Open MPI v6.0.0"},
		{"Open MPI v6.0.0, package: …", -1, true, &openMPIABI, openMPIFamily, "Open MPI v6.0.0"},
		{"Some MPI 1.0", 1, false, &standardABI, anyFamily, "Some MPI 1.0"},
		{"Some MPI 1.0", 0, false, nil, anyFamily, "Some MPI 1.0"},
		{"Some MPI 9.0", 2, false, nil, anyFamily, "Some MPI 9.0"},
	} {
		got, err := abiOf(tt.version, tt.standard, tt.symbols)
		if got != tt.want || (err == nil) != (tt.want != nil) {
			t.Errorf("%q, %d: %+v, %v", tt.version, tt.standard, got, err)
		}
		if f := familyOf(tt.version); f != tt.family {
			t.Errorf("%q is of the family %q", tt.version, f)
		}
		if s := shortVersion(tt.version); s != tt.short {
			t.Errorf("%q is called %q", tt.version, s)
		}
	}
}

func TestCandidates(t *testing.T) {
	mpich, openMPI, other := &launcher{family: mpichFamily}, &launcher{family: openMPIFamily}, &launcher{}
	for _, tt := range []struct {
		l      *launcher
		system string
		dirs   []string
		want   string
	}{
		{mpich, "linux", nil, "libmpi.so.12 libmpich.so.12 libmpi_abi.so.1 libmpi_abi.so.0"},
		{openMPI, "linux", []string{"/opt/a"}, "/opt/a/lib/libmpi.so.40 /opt/a/lib/libmpi_abi.so.1 /opt/a/lib/libmpi_abi.so.0 libmpi.so.40 libmpi_abi.so.1 libmpi_abi.so.0"},
		{other, "linux", nil, "libmpi.so.12 libmpich.so.12 libmpi_abi.so.1 libmpi_abi.so.0 libmpi.so.40"},
		{mpich, "windows", nil, "impi.dll msmpi.dll"},
		{openMPI, "windows", nil, ""},
		{other, "js", []string{"/opt/a"}, ""},
	} {
		if got := strings.ReplaceAll(strings.Join(candidates(tt.l, tt.system, tt.dirs), " "), `\`, "/"); got != tt.want {
			t.Errorf("%q on %s: %s", tt.l.family, tt.system, got)
		}
	}
	if got := candidates(openMPI, "darwin", nil); !slices.Contains(got, "/opt/homebrew/lib/libmpi.40.dylib") {
		t.Errorf("on darwin: %s", got)
	}
}

func TestPrefixes(t *testing.T) {
	got := prefixes(environment("I_MPI_ROOT=/opt/intel/mpi MPI_HOME=/opt/mpi MPI_ROOT="))
	if len(got) < 2 || !slices.Equal(got[:2], []string{"/opt/intel/mpi", "/opt/mpi"}) {
		t.Errorf("%q", got)
	}
}

// TestNoLibrary: what is no MPI, or cannot be opened, is refused by name, and so is a launcher without a library.
func TestNoLibrary(t *testing.T) {
	if native.Missing() != nil {
		t.Skip("no shared libraries here")
	}
	c := map[string]string{"linux": "libc.so.6", "darwin": "/usr/lib/libSystem.B.dylib", "windows": "kernel32.dll"}[runtime.GOOS]
	for named, want := range map[string]string{
		c:                              "it has no function MPI_Get_library_version, so it is no MPI library",
		"/nonexistent/libmpi.so":       "/nonexistent/libmpi.so: ",
		"testdata/../search_test.go":   "search_test.go: ",
		"libmpi_that_nobody_has.so.99": "libmpi_that_nobody_has.so.99: ",
	} {
		if _, err := Join(Config{Library: named}); !errors.Is(err, ErrLibrary) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", named, err)
		}
	}
	_, err := find("", &launcher{name: "mpiexec of Nobody", family: "Nobody", size: 4, rank: 3})
	for _, want := range []string{"mpiexec of Nobody started this process as rank 3, and no library fits", "TI_MPI=none"} {
		if !errors.Is(err, ErrLibrary) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// TestSetEnvironment: C code finds the variables, and those that people have set themselves, unless Go's faults depend on it.
func TestSetEnvironment(t *testing.T) {
	get := native.Process().Symbol("getenv")
	if get == 0 || native.Process().Symbol("setenv") == 0 {
		t.Skip("no setenv here")
	}
	setCEnvironment("FI_MR_CACHE_MAX_COUNT", "7", true)
	setCEnvironment("UCX_ERROR_SIGNALS", "SIGSEGV", true)
	setEnvironment()
	for name, want := range map[string]string{
		"UCX_ERROR_SIGNALS": "", "UCX_MEM_EVENTS": "n", "OMPI_MCA_mpi_leave_pinned": "0", "FI_MR_CACHE_MAX_COUNT": "7",
	} {
		c := native.CString(name)
		at := native.Call(get, uintptr(unsafe.Pointer(c)))
		if got := native.String(at); got != want || at == 0 {
			t.Errorf("%s is %q in C, want %q", name, got, want)
		}
	}
}
