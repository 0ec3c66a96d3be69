package memory

import "fmt"

// Room returns how many bytes the contents of a file may take on their way to or from a
// field: a part of the machine's memory, since several copies of them exist at a time.
func Room() int64 {
	n := PhysicalMemory()
	if n <= 0 {
		n = 8 << 30
	}
	return n / 8
}

// Text writes a number of bytes for people.
func Text(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
