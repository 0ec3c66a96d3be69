package main

import (
	"regexp"
	"strings"
)

// A folding is how one of the languages of the stages begins and ends a function.
type folding struct {
	begin *regexp.Regexp // the first line of a function of the maths library
	end   *regexp.Regexp // the last line of any function
}

var foldings = []folding{
	{regexp.MustCompile(`^\tfunc @ti\..*\{$`), regexp.MustCompile(`^\t\}$`)},
	{regexp.MustCompile(`^define .*@fn\.ti\..*\{$`), regexp.MustCompile(`^\}$`)},
}

// fold leaves of each function of the maths library one line: the kernel's own
// code is what people look for.
func fold(text string) string {
	var out strings.Builder
	var end *regexp.Regexp
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		if end != nil {
			if end.MatchString(bare) {
				end = nil
			}
			continue
		}
		for _, f := range foldings {
			if f.begin.MatchString(bare) {
				end = f.end
				line = bare + " … }\n"
			}
		}
		out.WriteString(line)
	}
	return foldAssembly(out.String())
}

var (
	asmLabel = regexp.MustCompile(`^"?_?(fn\.ti\.[^":]*)"?:`)
	asmEnd   = regexp.MustCompile(`^\.?Lfunc_end[0-9]+:`)
)

// foldAssembly does so with assembly text, where the constants of a function
// stand before it, and its name in their midst.
func foldAssembly(text string) string {
	if !strings.Contains(text, "Lfunc_end") {
		return text
	}
	var out, one strings.Builder
	name := "" // of the folded function that this is
	ended := false
	flush := func() {
		if name != "" {
			out.WriteString(name + ": …\n")
		} else {
			out.WriteString(one.String())
		}
		one.Reset()
		name, ended = "", false
	}
	for line := range strings.Lines(text) {
		// What follows the end, its size and an empty line, belongs to it still.
		if ended && !strings.HasPrefix(line, "\t.size") && !strings.HasPrefix(line, "\t.cfi") {
			flush()
		}
		if m := asmLabel.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		ended = ended || asmEnd.MatchString(line)
		one.WriteString(line)
	}
	flush()
	return out.String()
}
