package randtest

import (
	"flag"
	"os"
)

// EnvAll is the environment variable by which "ti test -all" asks for everything: all
// tests that take long, and of random tests many times the usual number.
const EnvAll = "TI_TEST_ALL"

// allTimes is by how much more a random test tries where everything is asked for.
const allTimes = 20

// All reports whether everything is asked for.
func All() bool { return os.Getenv(EnvAll) != "" }

// Long makes a flag for tests that take long. It is set where everything is asked for.
func Long(name, what string) *bool { return flag.Bool(name, All(), what) }

// Usual returns the default of a number of things to try.
func Usual[N int | uint | uint64](n N) N {
	if All() {
		return allTimes * n
	}
	return n
}
