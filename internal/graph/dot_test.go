package graph_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
)

var update = flag.Bool("update", false, "write the golden files")

// pictures are two batches with removed and fused segments, and names that need quoting.
func pictures(t *testing.T, w *world) []graph.Picture {
	h := &graph.History{}
	one := graph.New(w.batch(t, "Fill: W:X W:Z\nRead: r:D.0 rw:Y ; r:D.1 print\nAgain: W:D W:X W:Z\nOver: over:P w:X frame:8 ; frame:8 rw:Y"), h)
	all := w.batch(t, "Grow: grow:P w:Y\nLast: r:D W:X\nU: w:U")
	all[0].Kernel.Names[0].Task = `for "a\b" := range P`
	two := graph.New(all, h)
	return []graph.Picture{
		{Graph: one, Removed: one.DeadLaunches(), Groups: []graph.Group{{Label: "Again + Over", Segments: []int{3, 4}}}},
		{Graph: two, Removed: two.DeadSegments()},
	}
}

func TestDOT(t *testing.T) {
	var got, again bytes.Buffer
	w := newWorld()
	all := pictures(t, w)
	for _, b := range []*bytes.Buffer{&got, &again} {
		if err := graph.WriteDOT(b, all...); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got.Bytes(), again.Bytes()) {
		t.Errorf("the same pictures give\n%s\nand\n%s", got.String(), again.String())
	}
	const golden = "testdata/batches.dot"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the picture is\n%s\nwant\n%s", got.String(), want)
	}
	parseDOT(t, got.String())
}

const (
	str   = `"(?:[^"\\]|\\.)*"`
	attrs = ` \[(\w+=(?:` + str + `|[\w.]+)(?:, \w+=(?:` + str + `|[\w.]+))*)\];`
)

var (
	openLine  = regexp.MustCompile(`^(?:di|sub)graph (` + str + `) \{$`)
	nodeLine  = regexp.MustCompile(`^(` + str + `)` + attrs + `$`)
	edgeLine  = regexp.MustCompile(`^(` + str + `) -> (` + str + `)` + attrs + `$`)
	plainLine = regexp.MustCompile(`^(?:node|edge)` + attrs + `$|^\w+=(?:` + str + `|\w+);$`)
)

// parseDOT checks that a text is in the part of Graphviz's language that is used here, that nodes are declared once, before edges, and
// that each edge is between two of them. It returns the lines of nodes and edges by the names of nodes.
func parseDOT(t *testing.T, text string) (nodes map[string]string, edges map[string][]string) {
	t.Helper()
	nodes, edges = map[string]string{}, map[string][]string{}
	depth := 0
	clusters := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case openLine.MatchString(line):
			name := openLine.FindStringSubmatch(line)[1]
			if clusters[name] {
				t.Errorf("two clusters are called %s", name)
			}
			clusters[name] = true
			depth++
		case line == "}":
			depth--
		case edgeLine.MatchString(line):
			m := edgeLine.FindStringSubmatch(line)
			for _, name := range m[1:3] {
				if nodes[name] == "" {
					t.Errorf("an edge is before its node: %s", line)
				}
			}
			edges[m[1]+m[2]] = append(edges[m[1]+m[2]], m[3])
		case nodeLine.MatchString(line):
			m := nodeLine.FindStringSubmatch(line)
			if nodes[m[1]] != "" {
				t.Errorf("two nodes are called %s", m[1])
			}
			nodes[m[1]] = m[2]
		case !plainLine.MatchString(line):
			t.Errorf("what is %q?", line)
		}
		if depth < 0 {
			t.Error("there are too many closing braces")
		}
	}
	if depth != 0 {
		t.Errorf("%d braces are open", depth)
	}
	return nodes, edges
}

// TestRandomDOT: pictures of random batches have a node for each segment, and an edge with the name of each resource.
func TestRandomDOT(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		w, h := newWorld(), &graph.History{}
		var all []graph.Picture
		for range 1 + r.IntN(3) {
			g := graph.New(w.batch(t, dice{Rand: r}.batch(1+r.IntN(6))), h)
			p := graph.Picture{Graph: g, Removed: g.DeadSegments()}
			if n := len(g.Segments); n > 2 {
				p.Groups = []graph.Group{{Label: "a group", Segments: []int{n - 1, 0}}}
			}
			all = append(all, p)
		}
		var b bytes.Buffer
		if err := graph.WriteDOT(&b, all...); err != nil {
			t.Fatal(err)
		}
		nodes, edges := parseDOT(t, b.String())
		for _, p := range all {
			g := p.Graph
			for n := range g.Segments {
				grey := slices.ContainsFunc(p.Removed, func(r graph.Removal) bool { return slices.Contains(r.Segments, n) })
				if at := nodes[nodeOf(g, n)]; at == "" || strings.Contains(at, "fillcolor=grey") != grey {
					t.Errorf("seed %d: segment %d of batch %d is the node %q", seed, n, g.Batch, at)
				}
			}
			for _, e := range g.Edges {
				name := g.Resources[e.Resource].String()
				name = strings.TrimSuffix(strings.TrimSuffix(name, ".1"), ".2") // may be in a range
				if e.Kind&graph.Flow != 0 && !slices.ContainsFunc(edges[nodeOf(g, e.From)+nodeOf(g, e.To)], func(at string) bool {
					return strings.Contains(at, name) && !strings.Contains(at, "style=")
				}) {
					t.Errorf("seed %d: no edge has the name %s", seed, name)
				}
			}
		}
	}
}

func nodeOf(g *graph.Graph, n int) string {
	return `"b` + strconv.Itoa(g.Batch) + "s" + strconv.Itoa(n) + `"`
}

// TestGraphviz has dot read a picture.
func TestGraphviz(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("dot is not installed: apt-get install graphviz")
	}
	var b bytes.Buffer
	if err := graph.WriteDOT(&b, pictures(t, newWorld())...); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(dot, "-Tsvg")
	c.Stdin = &b
	if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("</svg>")) {
		t.Errorf("dot: %v\n%s", err, out)
	}
}
