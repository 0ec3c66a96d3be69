package mpi

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/native"
)

// A function is one of those that are called, as an index.
type function int

const (
	getLibraryVersion function = iota
	initThread
	finalize
	abort
	commRank
	commSize
	commSetErrhandler
	isend
	improbe
	imrecv
	test
	iprobe
	getCount
	errorString
	functions // how many there are
)

// symbols are the names of the functions. They and their parameters are the same in all libraries.
var symbols = [functions]string{
	"MPI_Get_library_version", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Comm_rank", "MPI_Comm_size",
	"MPI_Comm_set_errhandler", "MPI_Isend", "MPI_Improbe", "MPI_Imrecv", "MPI_Test", "MPI_Iprobe", "MPI_Get_count", "MPI_Error_string",
}

// A handle is the value of a constant object, or the address of a symbol of the library.
type handle struct {
	value  uintptr
	symbol string
}

func (h handle) in(lib native.Library) uintptr {
	if h.symbol != "" {
		return lib.Symbol(h.symbol)
	}
	return h.value
}

// An abi is what libraries differ in: the values of constants. Handles of requests and messages have 4 bytes in the first and 8 in the others, statuses
// 20, 24 and 32 bytes; memory for the largest serves all.
type abi struct {
	name                       string
	world, bytes, errorsReturn handle
	serialized                 uintptr // MPI_THREAD_SERIALIZED
}

// The columns of the table, from the headers of MPICH 4.0 and 5.0 (mpi.h, which Intel MPI and MVAPICH have kept binary compatible since
// 2014), Open MPI 4.1 and 5.0 (mpi.h), and of chapter "Application Binary Interface" of MPI 5.0 (mpi_abi.h).
var (
	mpichABI = abi{
		name:  "MPICH ABI",
		world: handle{value: 0x44000000}, bytes: handle{value: 0x4c00010d}, errorsReturn: handle{value: 0x54000001},
		serialized: 2,
	}
	openMPIABI = abi{
		name:  "Open MPI ABI",
		world: handle{symbol: "ompi_mpi_comm_world"}, bytes: handle{symbol: "ompi_mpi_byte"}, errorsReturn: handle{symbol: "ompi_mpi_errors_return"},
		serialized: 2,
	}
	standardABI = abi{
		name:  "MPI-5 ABI",
		world: handle{value: 0x101}, bytes: handle{value: 0x247}, errorsReturn: handle{value: 0x143},
		serialized: 2048,
	}
)

// A family of MPIs has launchers that start each other's processes.
type family string

const (
	anyFamily     family = ""
	mpichFamily   family = "MPICH"
	openMPIFamily family = "Open MPI"
)

// familyOf reads the text of MPI_Get_library_version.
func familyOf(version string) family {
	for _, word := range []string{"MPICH", "MVAPICH", "Intel(R) MPI", "Microsoft MPI"} {
		if strings.Contains(version, word) {
			return mpichFamily
		}
	}
	if strings.HasPrefix(version, "Open MPI") {
		return openMPIFamily
	}
	return anyFamily
}

// abiOf returns the column for a library, by its version text, the number that MPI_Abi_get_version gives (0 if there is no such function, and -1 where a
// library has the function but another binary interface), and whether it has the symbols of Open MPI's handles.
func abiOf(version string, standard int32, openMPISymbols bool) (*abi, error) {
	switch {
	case standard == 1:
		return &standardABI, nil
	case standard > 1:
		return nil, fmt.Errorf("it has version %d of the standard binary interface, and only version 1 is known", standard)
	case openMPISymbols:
		return &openMPIABI, nil
	case familyOf(version) == mpichFamily:
		return &mpichABI, nil
	}
	return nil, fmt.Errorf("it is %q, whose binary interface is none of MPICH's, Open MPI's and MPI-5's", version)
}

// shortVersion is the part of a version text that people know a library by.
func shortVersion(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line, _, _ = strings.Cut(line, ",")
	return strings.Join(strings.Fields(strings.Replace(line, "Version:", "", 1)), " ")
}
