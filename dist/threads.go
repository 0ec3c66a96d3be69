package dist

import (
	"cmp"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// threadsFor is the number of threads of a rank: the processors that the launcher has bound it to or, if it may use all of the machine, its share of
// them. Launchers say in the environment how many ranks a machine has.
func threadsFor(env func(string) string, mine, machine int) int {
	if mine < machine {
		return mine
	}
	for _, name := range []string{"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"} {
		if n, err := strconv.Atoi(env(name)); err == nil && n > 0 {
			return max(1, mine/n)
		}
	}
	return mine
}

// processors are those that the process may use, and those of the machine, as far as the system tells.
func processors() (mine, machine int) {
	mine = runtime.NumCPU()
	list, _ := os.ReadFile("/sys/devices/system/cpu/online")
	return mine, cmp.Or(count(string(list)), mine)
}

// count counts the numbers of a list such as 0-3,8; 0 if it is none.
func count(list string) (n int) {
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, is := strings.Cut(part, "-")
		if !is {
			last = first
		}
		lo, err1 := strconv.Atoi(first)
		hi, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || hi < lo {
			return 0
		}
		n += hi - lo + 1
	}
	return n
}
