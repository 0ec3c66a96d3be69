package dist_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
	"github.com/gotaichi/ti/internal/titest"
)

// roleVariable names what a process does that a test has started, instead of running tests.
const roleVariable = "DIST_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "heat":
		dist.Main(launchedHeat)
	case "panic":
		dist.Main(func(w *dist.World) error {
			if w.Rank() == w.Size()-1 {
				panic("it is broken")
			}
			return w.Agree(nil)
		})
	}
}

// launchedHeat prints a hash of what a rank finds.
func launchedHeat(w *dist.World) error {
	rt, err := w.New(ti.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()
	var h heat
	g := w.Grid(ti.IJ, 64, 40)
	g.Divide(rt.NewTree()).Dense(ti.IJ, 64, 40).Place(&h.T)
	g.Divide(rt.NewTree()).Dense(ti.IJ, 64, 40).Place(&h.Next)
	rt.Place(ti.Shape{1}, &h.Total)
	rt.Place(ti.Shape{8}, &h.Hot)
	if err := rt.Load(heatSource, &h); err != nil {
		return err
	}
	if err := h.Start(); err != nil {
		return err
	}
	sum := fnv.New64a()
	for range 20 {
		if err := h.Step(0.2); err != nil {
			return err
		}
		s, err := h.Sum()
		if err != nil {
			return err
		}
		fmt.Fprint(sum, s, " ")
	}
	fmt.Fprint(sum, h.T.Values(), h.Hot.Values())
	if want := int64(20); w.Size() > 1 && w.Stats().Exchanges < want {
		return fmt.Errorf("%d exchanges, and at least %d are needed", w.Stats().Exchanges, want)
	}
	if err := h.Print(); err != nil { // by rank 0
		return err
	}
	if w.Rank() == 0 {
		fmt.Printf("hash %x\n", sum.Sum64())
	}
	return nil
}

// TestLaunched: processes of an installed MPI give the bits of one process, and the failure of one ends all.
func TestLaunched(t *testing.T) {
	want := started(t, "heat")
	if !strings.Contains(want, "hash ") || strings.Count(want, "\n") != 14 {
		t.Fatalf("one process prints %q", want)
	}
	for _, mpiexec := range []string{"mpiexec.mpich", "mpiexec.openmpi"} {
		t.Run(mpiexec, func(t *testing.T) {
			if _, err := exec.LookPath(mpiexec); err != nil {
				t.Skipf("no %s: install mpich or openmpi-bin to run this test", mpiexec)
			}
			for _, n := range []string{"2", "3"} {
				if got := started(t, "heat", mpiexec, "-n", n); got != want {
					t.Errorf("%s processes print\n%s\nwant\n%s", n, got, want)
				}
			}
			if got := started(t, "panic", mpiexec, "-n", "2"); strings.Count(got, "it is broken") != 1 || !strings.Contains(got, "rank 1 of 2: panic") || !strings.Contains(got, "exit status 1") {
				t.Errorf("a process that panics prints\n%s", got)
			}
		})
	}
}

// started runs this test binary in a role, by a launcher, and returns what it prints, with its status if that is not 0.
func started(t *testing.T, role string, launcher ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	self, err := os.Executable()
	titest.Must(t, err)
	line := append(slices.Clip(launcher), self)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	// Open MPI refuses to run as root, and more ranks than processors, unless told otherwise.
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}
