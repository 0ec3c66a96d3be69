package mpi

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var prefixesFlag = flag.String("mpi", "", "folders of further MPIs to test, separated by commas: each has bin/mpiexec, and lib")

// An installation is a launcher with a library that fits.
type installation struct {
	name    string
	mpiexec string // "" runs one process without it
	library string // "" leaves it to Join to find
}

// installations are the MPIs that a system may have, and those that the flag names.
func installations() []installation {
	all := []installation{{"MPICH", "mpiexec.mpich", ""}, {"Open MPI", "mpiexec.openmpi", ""}}
	for dir := range strings.SplitSeq(*prefixesFlag, ",") {
		if dir == "" {
			continue
		}
		name := filepath.Base(dir)
		mpiexec := filepath.Join(dir, "bin", "mpiexec")
		all = append(all, installation{name, mpiexec, ""})
		if file := filepath.Join(dir, "lib", "libmpi_abi.so.1"); exists(file) {
			all = append(all, installation{name + " (MPI-5 ABI)", mpiexec, file})
		}
	}
	return all
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// launch runs this test binary in a role on n ranks, and returns what all wrote, and the status.
func (m installation) launch(t testing.TB, role string, n int) (out string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	if m.mpiexec != "" {
		if _, err := exec.LookPath(m.mpiexec); err != nil {
			t.Skipf("no %s: install mpich or openmpi-bin to run these tests", m.mpiexec)
		}
		cmd = exec.CommandContext(ctx, m.mpiexec, "-n", strconv.Itoa(n), self)
	}
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "MPI_TEST_LIBRARY="+m.library,
		// Open MPI refuses to run as root, and more ranks than processors, unless told otherwise.
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe")
	text, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s on %d ranks of %s did not end:\n%s", role, n, m.name, text)
	case errors.As(err, &failed):
		return string(text), failed.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(text), 0
}

// eachMPI runs a test with each MPI.
func eachMPI(t *testing.T, f func(t *testing.T, m installation)) {
	for _, m := range installations() {
		t.Run(m.name, func(t *testing.T) { f(t, m) })
	}
}

func TestLaunched(t *testing.T) {
	eachMPI(t, func(t *testing.T, m installation) {
		for _, n := range []int{1, 2, 4} {
			if out, status := m.launch(t, "messages", n); status != 0 || strings.TrimSpace(out) != "" {
				t.Errorf("%d ranks: status %d, and they wrote\n%s", n, status, out)
			}
		}
	})
}

// TestLaunchedFailures: a job with a failing rank ends, with a status that is not 0, and says why.
func TestLaunchedFailures(t *testing.T) {
	eachMPI(t, func(t *testing.T, m installation) {
		for _, tt := range []struct {
			role   string
			status int    // 0 for any but 0
			want   string // in the output
		}{
			{"longer", 0, "rank 1: rank 0 sent 100 bytes (tag 7), and 60 were expected"},
			{"longest", 0, "rank 1: rank 0 sent 1048576 bytes (tag 7), and 60 were expected"},
			{"shorter", 0, "rank 1: rank 0 sent 60 bytes (tag 7), and 100 were expected"},
			{"diverged", 0, "ranks made different calls: rank "},
			{"limit", 0, "rank 0: waited too long: 1"},
			{"abort", 5, ""},
			{"exit", 0, ""},
			{"killed", 0, ""},
			{"panic", 0, "rank 1 panics"},
		} {
			out, status := m.launch(t, tt.role, 3)
			if status == 0 || !strings.Contains(out, tt.want) || tt.status != 0 && status != tt.status {
				t.Errorf("%s: status %d, and it wrote\n%s", tt.role, status, out)
			}
		}
	})
}

// TestLeave: the processes end with the status that Leave is given, after all have called it.
func TestLeave(t *testing.T) {
	eachMPI(t, func(t *testing.T, m installation) {
		if out, status := m.launch(t, "status", 2); status != 3 {
			t.Errorf("status %d, and it wrote\n%s", status, out)
		}
		// Large messages under way at the end: MPI_Finalize of MPICH 5 would wait forever.
		if out, status := m.launch(t, "exchange", 4); status != 0 || out != "" {
			t.Errorf("status %d, and it wrote\n%s", status, out)
		}
	})
}

// TestFaultsStayGo: with a library open, a nil pointer is a panic as ever, although UCX and Open MPI have handlers of signals.
func TestFaultsStayGo(t *testing.T) {
	eachMPI(t, func(t *testing.T, m installation) {
		out, status := m.launch(t, "nil", 2)
		if status != 0 || len(lines(out, "recovered: runtime error: invalid memory address")) != 2 {
			t.Errorf("status %d, and it wrote\n%s", status, out)
		}
	})
}

// TestLibraryName: all ranks have one library, which Library names, found beside the launcher or in the system.
func TestLibraryName(t *testing.T) {
	eachMPI(t, func(t *testing.T, m installation) {
		out, status := m.launch(t, "library", 2)
		got := lines(out, "library ")
		if status != 0 || len(got) != 2 || got[0] != got[1] || !strings.Contains(got[0], "libmpi") {
			t.Errorf("status %d, and it wrote\n%s", status, out)
		}
		t.Log(strings.Join(got, ""))
	})
}

// TestOtherFamily: the launcher of one MPI with the library of another is an error, and not one job for each process.
func TestOtherFamily(t *testing.T) {
	for _, m := range []installation{{"MPICH", "mpiexec.mpich", "libmpi.so.40"}, {"Open MPI", "mpiexec.openmpi", "libmpich.so.12"}} {
		t.Run(m.name, func(t *testing.T) {
			if _, err := recognise(m.library); err != nil {
				t.Skipf("no %s", m.library)
			}
			out, status := m.launch(t, "library", 2)
			if status == 0 || len(lines(out, "no usable MPI: "+m.library+": it is ")) == 0 || !strings.Contains(out, "cannot start") {
				t.Errorf("status %d, and it wrote\n%s", status, out)
			}
		})
	}
}

// TestOwnJobs: with None each process is a job of its own, whatever started it.
func TestOwnJobs(t *testing.T) {
	eachMPI(t, func(t *testing.T, m installation) {
		m.library = None
		if out, status := m.launch(t, "library", 2); status != 0 || len(lines(out, "library none")) != 2 {
			t.Errorf("status %d, and it wrote\n%s", status, out)
		}
	})
}

// TestUnlaunched: without a launcher a named library serves a job of one rank; with the environment of one that offers the library nothing, Join fails.
func TestUnlaunched(t *testing.T) {
	for _, library := range []string{"libmpich.so.12", "libmpi.so.40"} {
		t.Run(library, func(t *testing.T) {
			if _, err := recognise(library); err != nil {
				t.Skipf("no %s", library)
			}
			m := installation{mpiexec: "", library: library}
			if out, status := m.launch(t, "messages", 1); status != 0 || out != "" {
				t.Errorf("status %d, and it wrote\n%s", status, out)
			}
			t.Setenv("SLURM_PROCID", "0")
			t.Setenv("SLURM_STEP_NUM_TASKS", "2")
			if out, status := m.launch(t, "messages", 1); status != 1 || !strings.Contains(out, "finds 1, and srun started this process as rank 0 of 2; start it by srun --mpi=pmix") {
				t.Errorf("status %d, and it wrote\n%s", status, out)
			}
		})
	}
}
