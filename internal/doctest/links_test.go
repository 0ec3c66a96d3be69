package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	reLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	reHeading = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	reFence   = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	reCode    = regexp.MustCompile("`[^`\n]*`")
)

// TestLinks checks that what documents link to within the module is there: the file,
// and the heading in it.
func TestLinks(t *testing.T) {
	n := 0
	for _, file := range documents(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := reCode.ReplaceAllString(reFence.ReplaceAllString(string(data), ""), "")
		for _, m := range reLink.FindAllStringSubmatch(text, -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			n++
			to := file
			if path != "" {
				to = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if anchor != "" && !anchors(t, to)[anchor] {
				t.Errorf("%s links to %s: there is no such heading", file, m[1])
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d links are found", n)
	}
}

// anchors returns the names that GitHub gives the headings of a page.
func anchors(t *testing.T, file string) map[string]bool {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range reHeading.FindAllStringSubmatch(reFence.ReplaceAllString(string(data), ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		names[name] = true
	}
	return names
}
