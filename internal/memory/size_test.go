package memory

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "4096": 4096, "64K": 64 << 10, "512m": 512 << 20, "2G": 2 << 30, "1T": 1 << 40, "9223372036854775807": 1<<63 - 1,
		"": -1, "G": -1, "-1": -1, "1.5G": -1, "8388608T": -1, "9223372036854775808": -1, "12X": -1, "1 G": -1,
	} {
		got, err := ParseSize(text)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q is %d, %v, not %d", text, got, err, want)
		}
	}
}
