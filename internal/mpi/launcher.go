package mpi

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A launcher is the program that started the processes of a job, by the environment that it gave them.
type launcher struct {
	name   string
	family family // of the libraries that it can start
	size   int    // ranks, 0 if it does not say
	rank   int
}

// launchers lists the variables by which launchers say how many processes there are, and which this one is. The first row whose variable of the rank
// is set counts. Slurm sets SLURM_PROCID and SLURM_NTASKS in scripts of one process, too, and only srun sets SLURM_STEP_NUM_TASKS.
// Sources: the environments that MPICH 4.0 and 5.0, Intel MPI 2021.19, Open MPI 4.1 and 5.0 give a process; the manuals of srun and MVAPICH.
var launchers = []struct {
	name       string
	family     family
	rank, size string
}{
	{"mpiexec of Open MPI", openMPIFamily, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"mpirun of MVAPICH", mpichFamily, "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
	{"mpirun of MVAPICH", mpichFamily, "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE"},
	{"srun", anyFamily, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
	{"mpiexec of MPICH or Intel MPI", mpichFamily, "PMI_RANK", "PMI_SIZE"},
	{"a launcher with PMIx", anyFamily, "PMIX_RANK", ""},
}

// launcherOf returns the launcher that set an environment, nil for none.
func launcherOf(lookup func(string) (string, bool)) *launcher {
	for _, l := range launchers {
		rank, err := number(lookup, l.rank)
		if err != nil {
			continue
		}
		size, err := number(lookup, l.size)
		if err != nil && l.name == "srun" {
			continue
		}
		found := &launcher{l.name, l.family, size, rank}
		if _, under := lookup("SLURM_STEP_NUM_TASKS"); under && found.family == mpichFamily {
			found.family = anyFamily // srun offers the same interface to all
		}
		return found
	}
	return nil
}

// starts reports, as an error, that the launcher cannot start processes of a library. MPICH 5 ends the process in MPI_Init_thread then, and others would
// be jobs of one rank.
func (l *launcher) starts(version string) error {
	if l == nil || l.family == anyFamily || familyOf(version) == anyFamily || familyOf(version) == l.family {
		return nil
	}
	return fmt.Errorf("it is %s, which %s cannot start: start the program by the mpiexec of that library, or use the launcher's library",
		shortVersion(version), l.name)
}

func number(lookup func(string) (string, bool), name string) (int, error) {
	text, _ := lookup(name)
	return strconv.Atoi(text)
}

// launcherFiles begin the names of programs that start ranks, in the file system.
var launcherFiles = []string{"hydra_", "mpiexec", "mpirun", "orterun", "orted", "prte"}

// launcherPrefix returns the folder into which the launcher of this process was installed, "" if it is unknown: it
// looks for an ancestor with the name of a launcher in /proc.
func launcherPrefix() string {
	for pid, depth := os.Getppid(), 0; pid > 1 && depth < 16; depth++ {
		file, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil {
			return ""
		}
		for _, name := range launcherFiles {
			if strings.HasPrefix(filepath.Base(file), name) {
				return filepath.Dir(filepath.Dir(file))
			}
		}
		if pid = parentOf(pid); pid == 0 {
			return ""
		}
	}
	return ""
}

// parentOf returns the parent of a process, 0 if it is unknown.
func parentOf(pid int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	// The program's name stands in brackets, and may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}
