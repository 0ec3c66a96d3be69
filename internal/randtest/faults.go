package randtest

import "os"

// envFaults is the environment variable by which an error of the compiler ends a launch. Without it the kernel is compiled
// again without the parts that can be left out, and tests would see results that are right.
const envFaults = "TI_INTERNAL_ERRORS"

// Tests want each error of the compiler, and so do the commands that they start.
func init() {
	if _, set := os.LookupEnv(envFaults); !set {
		_ = os.Setenv(envFaults, "fail")
	}
}
