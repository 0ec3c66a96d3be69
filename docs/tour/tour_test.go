// Package tour_test checks that the lessons of the tour are true: their programs run and print what the pages say, and
// the code on the pages is that of the programs.
package tour_test

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lessons returns the folders of the lessons, in order.
func lessons(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("[0-9][0-9]-*")
	if err != nil || len(dirs) != 10 {
		t.Fatalf("found the lessons %v; want ten, and no error but %v", dirs, err)
	}
	return dirs
}

// fence matches a fenced block: language and text.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// page returns the text of a lesson and its blocks of a language.
func page(t *testing.T, dir, lang string) (text string, blocks []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
		if m[1] == lang {
			blocks = append(blocks, m[2])
		}
	}
	if len(blocks) == 0 {
		t.Errorf("%s has no block of the language %s", dir, lang)
	}
	return string(data), blocks
}

// TestPages checks that each paragraph of code on a page is in a file of its lesson, that lessons lead to one
// another, and that pictures are small.
func TestPages(t *testing.T) {
	dirs := lessons(t)
	index, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	picture := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	for i, dir := range dirs {
		text, blocks := page(t, dir, "go")
		code := programOf(t, dir)
		for _, block := range blocks {
			for paragraph := range strings.SplitSeq(strings.TrimSpace(block), "\n\n") {
				if !strings.Contains(code, strings.TrimLeft(paragraph, "\t")+"\n") {
					t.Errorf("%s shows what its program has not:\n%s", dir, paragraph)
				}
			}
		}
		if !strings.Contains(string(index), "("+dir+")") {
			t.Errorf("the list of lessons lacks %s", dir)
		}
		if i+1 < len(dirs) && !strings.Contains(text, "(../"+dirs[i+1]+")") {
			t.Errorf("%s does not lead to %s", dir, dirs[i+1])
		}
		for _, m := range picture.FindAllStringSubmatch(text, -1) {
			info, err := os.Stat(filepath.Join(dir, m[1]))
			if err != nil {
				t.Error(err)
			} else if info.Size() > 200_000 {
				t.Errorf("the picture of %s has %d bytes; want less than 200,000", dir, info.Size())
			}
		}
	}
}

// programOf returns the files of a lesson's program, one after another.
func programOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.ti"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no kernel source: %v", dir, err)
	}
	var code strings.Builder
	for _, f := range append(files, filepath.Join(dir, "main.go")) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(data)
	}
	return code.String()
}

// TestPrograms runs the lessons and compares what they print with their pages.
func TestPrograms(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, dir := range lessons(t) {
		t.Run(dir, func(t *testing.T) {
			name := filepath.Join(bin, dir)
			if runtime.GOOS == "windows" {
				name += ".exe"
			}
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(name)
			cmd.Dir = t.TempDir()
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			_, blocks := page(t, dir, "text")
			compare(t, stdout.String(), blocks)
			comparePicture(t, dir, cmd.Dir)
		})
	}
}

// comparePicture checks that a program has drawn a picture of the size of the one on its page.
func comparePicture(t *testing.T, page, drawn string) {
	t.Helper()
	names := func(dir string) []string {
		found, err := filepath.Glob(filepath.Join(dir, "*.png"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i] = filepath.Base(found[i])
		}
		return found
	}
	want, got := names(page), names(drawn)
	if !slices.Equal(got, want) {
		t.Errorf("the program drew %v; the page shows %v", got, want)
		return
	}
	size := func(path string) [2]int {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c, err := png.DecodeConfig(f)
		if err != nil {
			t.Fatal(err)
		}
		return [2]int{c.Width, c.Height}
	}
	for _, name := range want {
		if g, w := size(filepath.Join(drawn, name)), size(filepath.Join(page, name)); g != w {
			t.Errorf("%s is of size %v; the page has %v", name, g, w)
		}
	}
}

// compare checks that the output has the blocks in their order.
func compare(t *testing.T, output string, blocks []string) {
	t.Helper()
	lines := strings.Split(output, "\n")
	at := 0
	for _, block := range blocks {
		want := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		found := -1
		for i := at; i+len(want) <= len(lines); i++ {
			if slices.EqualFunc(lines[i:i+len(want)], want, alike) {
				found = i
				break
			}
		}
		if found < 0 {
			t.Errorf("the page says\n%s\nthe program prints\n%s", block, output)
			return
		}
		at = found + len(want)
	}
}

var decimal = regexp.MustCompile(`-?\d+\.\d+`)

// alike compares a line with one of a page: "…" stands for anything, and numbers with a point may differ by two
// in their last digit, since sums are rounded in the order in which the threads come.
func alike(line, want string) bool {
	quoted := regexp.QuoteMeta(decimal.ReplaceAllString(want, "\x00"))
	pattern := strings.NewReplacer("…", ".*", "\x00", `(-?\d+\.\d+)`).Replace(quoted)
	m := regexp.MustCompile("^" + pattern + "$").FindStringSubmatch(line)
	if m == nil {
		return false
	}
	for i, w := range decimal.FindAllString(want, -1) {
		digits := len(w) - strings.Index(w, ".") - 1
		if !near(m[i+1], w, digits) {
			return false
		}
	}
	return true
}

func near(got, want string, digits int) bool {
	if len(got)-strings.Index(got, ".")-1 != digits {
		return false
	}
	g, err1 := strconv.ParseInt(strings.Replace(got, ".", "", 1), 10, 64)
	w, err2 := strconv.ParseInt(strings.Replace(want, ".", "", 1), 10, 64)
	return err1 == nil && err2 == nil && -2 <= g-w && g-w <= 2
}

// TestAlike checks the comparison itself.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		line, want string
		same       bool
	}{
		{"a 1.50 b", "a 1.50 b", true}, {"a 1.52 b", "a 1.50 b", true}, {"a 1.53 b", "a 1.50 b", false},
		{"a 1.500 b", "a 1.50 b", false}, {"a -0.01 b", "a 0.01 b", true}, {"7 of 7", "7 of 8", false},
		{"/x/y.ti:4:5: bad", "…y.ti:4:5: bad", true}, {"/x/y.ti:4:6: bad", "…y.ti:4:5: bad", false}, {"a b", "a", false},
	} {
		if alike(c.line, c.want) != c.same {
			t.Errorf("alike(%q, %q) is %v", c.line, c.want, !c.same)
		}
	}
}
