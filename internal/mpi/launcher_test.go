package mpi

import (
	"os"
	"strings"
	"testing"
)

// environment is a lookup in lines of NAME=value.
func environment(lines string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for line := range strings.FieldsSeq(lines) {
			if key, value, _ := strings.Cut(line, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
}

func TestLauncherOf(t *testing.T) {
	for _, tt := range []struct {
		name, env string
		want      *launcher
	}{
		{"none", "HOME=/root PATH=/bin", nil},
		{"MPICH", "PMI_FD=6 PMI_RANK=1 PMI_SIZE=4 MPI_LOCALNRANKS=4", &launcher{"mpiexec of MPICH or Intel MPI", mpichFamily, 4, 1}},
		{"Open MPI 4", "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=3", &launcher{"mpiexec of Open MPI", openMPIFamily, 4, 3}},
		{"prterun", "PMIX_RANK=2 PMIX_NAMESPACE=prterun-vm-1800@1", &launcher{"a launcher with PMIx", anyFamily, 0, 2}},
		{"srun without PMI", "SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2", &launcher{"srun", anyFamily, 2, 1}},
		{"srun with PMI-2", "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_RANK=1 PMI_SIZE=2", &launcher{"srun", anyFamily, 2, 1}},
		{"srun with PMIx", "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 PMIX_RANK=0", &launcher{"srun", anyFamily, 2, 0}},
		{"a script of sbatch", "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_JOB_ID=17", nil},
		{"mpiexec of Open MPI under Slurm", "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8", &launcher{"mpiexec of Open MPI", openMPIFamily, 8, 5}},
		{"MVAPICH2", "MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=2", &launcher{"mpirun of MVAPICH", mpichFamily, 2, 1}},
		{"no numbers", "PMI_RANK=x PMI_SIZE=2", nil},
	} {
		got := launcherOf(environment(tt.env))
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestAgrees: what a library finds must be what the launcher started.
func TestAgrees(t *testing.T) {
	mpich, prte, srun := &launcher{"mpiexec", mpichFamily, 4, 1}, &launcher{"prterun", anyFamily, 0, 2}, &launcher{"srun", anyFamily, 2, 1}
	for _, tt := range []struct {
		l          *launcher
		rank, size int
		want       string
	}{
		{nil, 0, 1, ""},
		{mpich, 1, 4, ""},
		{mpich, 0, 1, "finds 1, and mpiexec started this process as rank 1 of 4; start the program by the mpiexec of that library"},
		{mpich, 1, 2, "finds 2, and mpiexec started"},
		{prte, 2, 3, ""},
		{prte, 0, 1, "finds 1, and prterun started this process as rank 2;"},
		{srun, 0, 1, "start it by srun --mpi=pmix or --mpi=pmi2"},
	} {
		err := tt.l.agrees(tt.rank, tt.size)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v finds rank %d of %d: %v, want %q", tt.l, tt.rank, tt.size, err, tt.want)
		}
	}
}

func TestParentOf(t *testing.T) {
	if !exists("/proc/self/stat") {
		t.Skip("no /proc")
	}
	if got := parentOf(os.Getpid()); got != os.Getppid() {
		t.Errorf("the parent is %d, not %d", got, os.Getppid())
	}
}
