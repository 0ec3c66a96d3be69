package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// options are the flags of the command.
type options struct {
	suite.Flags
	from, docs string
	small      bool
}

func main() {
	var o options
	o.Register(suite.Labels(full.known())...)
	flag.StringVar(&o.from, "from", "", "measure nothing: take the results that an earlier run wrote to this `file` by -json")
	flag.StringVar(&o.docs, "docs", "", "write the table into benchmarks.md of this `folder`")
	flag.BoolVar(&o.small, "small", false, "divide all sizes by 16")
	suite.Main("quant", o.command)
}

// known returns the peers there are: C by hand, at the size of the cases.
func (z size) known() []suite.Known {
	return []suite.Known{{Label: "limits", Args: []string{"--divide", strconv.Itoa(full.n / z.n)}}}
}

// A plainC is a peer's cases on numbers as C has them, which have names of their own.
type plainC struct{ *suite.Program }

const plainSuffix = "_plain"

// Name returns the peer's label.
func (p plainC) Name() string { return p.Program.Name() + plainSuffix }

// Has reports whether the peer has a case on plain numbers.
func (p plainC) Has(name string) bool { return p.Program.Has(name + plainSuffix) }

// Measure runs one case.
func (p plainC) Measure(ctx context.Context, name string, threads int) (suite.Timing, error) {
	return p.Program.Measure(ctx, name+plainSuffix, threads)
}

// command does what the flags say.
func (o *options) command(ctx context.Context, w io.Writer) error {
	switch {
	case o.docs != "" && (o.Run != "" || o.small):
		return errors.New("the table in the documentation holds all cases: -docs goes with neither -run nor -small")
	case o.from != "" && o.docs == "":
		return errors.New("-from is for writing the table of earlier results: -docs says where")
	case o.from != "":
		rows, err := suite.ReadJSON(o.from)
		if err != nil {
			return err
		}
		return document(o.docs, rows)
	}
	sizes := full
	if o.small {
		sizes = small
	}
	packed := casesOf(sizes, true)
	variants := []suite.Peer{&suite.Variant{Label: "plain", Cases: casesOf(sizes, false)},
		&suite.Without{Variant: suite.Variant{Label: "no store merging", Cases: packed}, Parts: "storemerge"},
		&suite.Without{Variant: suite.Variant{Label: "atomic words", Cases: packed}, Parts: "nonatomicwords"},
		&suite.Without{Variant: suite.Variant{Label: "neither", Cases: packed}, Parts: "storemerge,nonatomicwords,bits"}}
	programs, err := suite.FindPrograms(ctx, o.Dir, o.Beside, sizes.known())
	if err != nil {
		return err
	}
	for _, p := range programs {
		variants = append(variants, plainC{p})
	}
	rows, err := o.Compare(ctx, sizes.known(), packed, w, variants...)
	if o.docs != "" && err == nil {
		err = document(o.docs, rows)
	}
	return err
}

// columns are those of the table, by the names of the peers.
var columns = []struct{ peer, title string }{
	{"plain", "plain"}, {"no store merging", "no store merging"}, {"atomic words", "atomic words"}, {"neither", "neither, no words of bits"}, {"limits", "packed C"}, {"limits" + plainSuffix, "plain C"},
}

// document writes the table into benchmarks.md of a folder.
func document(dir string, rows []*suite.Row) error {
	return suite.ReplaceBlock(filepath.Join(dir, "benchmarks.md"), "go run ./bench/quant", markdown(rows))
}

// markdown returns a table: times in ms, and what the packed case takes of the time of the plain one, and what is asked for.
func markdown(rows []*suite.Row) string {
	head, rule := "| case | packed ms |", "|---|---|"
	for _, c := range columns {
		head += " " + c.title + " |"
		rule += "---|"
	}
	head, rule = head+" packed / plain | target |", rule+"---|---|"
	lines := []string{head, rule}
	for _, r := range rows {
		line := fmt.Sprintf("| %s | %s |", r.Name, suite.Digits(r.MedianUs/1e3))
		for _, c := range columns {
			cell := "-"
			if v, ok := r.Beside[c.peer]; ok {
				cell = suite.Digits(v.MedianUs / 1e3)
			}
			line += " " + cell + " |"
		}
		ratio := "-"
		if v, ok := r.Beside["plain"]; ok {
			ratio = fmt.Sprintf("%.2f", 1/v.Ratio)
		}
		lines = append(lines, fmt.Sprintf("%s %s | %s |", line, ratio, targets[r.Name]))
	}
	return strings.Join(lines, "\n") + "\n"
}
