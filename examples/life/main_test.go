package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestGun checks that the gun repeats itself every 30 generations, one glider of five cells richer.
func TestGun(t *testing.T) {
	result, live, err := run(demotest.New(t), 150)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 150)
	for g := 30; g < len(live); g++ {
		if live[g] != live[g-30]+5 {
			t.Fatalf("%d cells live after generation %d, %d thirty later; want five more", live[g-30], g-29, live[g])
		}
	}
}

func TestParseRLE(t *testing.T) {
	got, err := parseRLE("#N glider\nx = 3, y = 3\nbo$2bo$3o!")
	want := pattern{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for text, want := range map[string]string{
		"":                               "no end",
		"bo$2bo$3o!":                     "header",
		"x = 3, y = 3\nbo$":              "no end",
		"x = 3, y = 3\nbo$2x!":           "line 2",
		"x = 3, y = 3\n99999999999999o!": "more than a million",
	} {
		if _, err := parseRLE(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}
