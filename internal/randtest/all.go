package randtest

import (
	"flag"
	"hash/fnv"
	"os"
)

// EnvAll is the environment variable by which "ti test -all" asks for everything: all
// tests that take long, and of random tests many times the usual number.
const EnvAll = "TI_TEST_ALL"

// allTimes is by how much more a random test tries where everything is asked for.
const allTimes = 4

// All reports whether everything is asked for.
func All() bool { return os.Getenv(EnvAll) != "" }

// Long makes a flag for tests that take long. It is set where everything is asked for.
func Long(name, what string) *bool { return flag.Bool(name, All(), what) }

// Turn returns a number that a name always has, for tests that do a part of what they can, another part
// for each name.
func Turn(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return int(h.Sum32() >> 7 & 0xffff)
}

// Share reports whether to run a test that is one of many like it: a fixed quarter of the names
// are, and all where everything is asked for.
func Share(name string) bool {
	return All() || Turn(name)%4 == 0
}

// Usual returns the default of a number of things to try.
func Usual[N int | uint | uint64](n N) N {
	if All() {
		return allTimes * n
	}
	return n
}
