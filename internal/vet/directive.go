package vet

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// almostDirective matches comments that have the form of a directive, apart from spaces and case.
var almostDirective = regexp.MustCompile(`^(?://|/\*)\s*(?i:ti)\s*:\s*([\w-]+)`)

// almostDirectives warns about comments that were probably meant as directives.
func (v *vetter) almostDirectives(f *syntax.File) {
	for _, g := range f.Tree.Comments {
		for _, l := range g.List {
			m := almostDirective.FindStringSubmatch(l.Text)
			switch {
			case strings.HasPrefix(l.Text, "//go:"):
				help := "remove it"
				if strings.HasPrefix(l.Text, "//go:noinline") {
					help = "write //ti:noinline"
				}
				v.warn(syntax.VetDirective, f.Position(l.Pos()), help, "%s is a directive of Go, and means nothing in a kernel source", firstWord(l.Text))
			case m == nil || strings.HasPrefix(l.Text, "//ti:"):
			case check.NearDirective(m[1]) != "":
				v.warn(syntax.VetDirective, f.Position(l.Pos()), "write //ti:"+check.NearDirective(m[1]), "this is a comment: a directive begins with //ti: in small letters and without a space")
			}
		}
	}
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// A marked function is one with //ti:noinline, of which there may be several instances.
type marked struct {
	f    *typed.Func
	why  string // the first reason why an instance is inlined all the same
	kept bool   // some instance is kept out of line
}

// noteCall notes a call of a function that is marked //ti:noinline.
func (v *vetter) noteCall(f *typed.Func) {
	if !f.NoInline {
		return
	}
	m := v.marked[f.Pos]
	if m == nil {
		m = &marked{f: f}
		v.marked[f.Pos] = m
	}
	why := typed.AlwaysInlined(f, typed.MaxUnrolled)
	m.why, m.kept = cmp.Or(m.why, why), m.kept || why == ""
}

// idleNoInline warns about //ti:noinline above functions that are inlined all the same,
// and above kernels that nothing calls.
func (v *vetter) idleNoInline(kernels []*typed.Func) {
	for _, m := range v.marked { // in any order: Check sorts the warnings
		if !m.kept {
			v.warn(syntax.VetDirective, m.f.Pos, "remove the directive, or pass what the function needs as values", "//ti:noinline changes nothing: %s %s, so it is inlined", m.f.Name, m.why)
		}
	}
	for _, k := range kernels {
		if k.NoInline && v.marked[k.Pos] == nil {
			v.warn(syntax.VetDirective, k.Pos, "remove the directive", "//ti:noinline changes nothing: the host launches %s, and no function calls it", k.Name)
		}
	}
}
