package memory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a number of bytes: 4096, 64K, 512M, 2G or 1T, a K being 1024.
func ParseSize(text string) (int64, error) {
	digits, unit := text, int64(1)
	if n := len(text); n > 0 {
		if i := strings.IndexByte("KMGT", text[n-1]&^0x20); i >= 0 {
			digits, unit = text[:n-1], 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no number of bytes, such as 4096, 64K, 512M or 2G", text)
	}
	return n * unit, nil
}
