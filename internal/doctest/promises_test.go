package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plans is the heading of the page that has a place for all that is promised.
const plans = "architecture.md#what-is-to-come"

// promise matches words for what is not there. "Come to" and its like are none.
var promise = regexp.MustCompile(`(?i)\b(to come[.:;|*)\]]|(?:is|are) to come\b|planned\b|not yet\b)`)

// TestPromises checks each promise: a line that says of something that it is planned or to come links to the page
// of plans. What has come since is then found by reading one page. Records of decisions keep what was thought when they were made.
func TestPromises(t *testing.T) {
	found := 0
	for _, file := range documents(t) {
		if strings.Contains(filepath.ToSlash(file), "/docs/decisions/") || filepath.Base(file) == "architecture.md" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range unkept(string(data)) {
			t.Errorf("%s:%d: %q has no place: say what is so today, or link to %s and give it a line there", file, n, line, plans)
		}
		found += strings.Count(string(data), plans)
	}
	if found < 3 {
		t.Errorf("only %d promises are found", found)
	}
}

// unkept returns the lines of a document that promise something without a link, by their numbers. Code promises nothing.
func unkept(text string) map[int]string {
	lines := map[int]string{}
	text = reFence.ReplaceAllStringFunc(text, func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) })
	for i, line := range strings.Split(text, "\n") {
		if promise.MatchString(reCode.ReplaceAllString(line, "")) && !strings.Contains(line, plans) {
			lines[i+1] = line
		}
	}
	return lines
}

func TestUnkept(t *testing.T) {
	text := "A cache is to come.\nGPUs are [to come](" + plans + ").\nIt has not yet been said.\n```\nplanned\n```\nThe ball comes to lie, to come to lie at the goal.\nTo come: windows.\n| ◻ is planned |\n`planned`\n"
	got := unkept(text)
	for n, want := range map[int]bool{1: true, 2: false, 3: true, 5: false, 7: false, 8: true, 9: true, 10: false} {
		if _, is := got[n]; is != want {
			t.Errorf("line %d: found is %v, want %v", n, is, want)
		}
	}
}
