package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// Geometry of the plot, in pixels.
const (
	plotLeft, plotTop = 140, 46
	plotSpan          = 560 // of the axis
	plotLine          = 20  // of a case
)

// plot draws the ratio of each peer's time to ours for each case, on a logarithmic scale: right of 1 we are
// faster.
func plot(rows []*suite.Row) string {
	var compared []*suite.Row
	low, high := 0.1, 10.0
	for _, r := range rows {
		if len(r.Beside) == 0 {
			continue
		}
		compared = append(compared, r)
		for _, b := range r.Beside {
			low, high = min(low, b.Ratio), max(high, b.Ratio)
		}
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	x := func(ratio float64) float64 { return plotLeft + plotSpan*(math.Log10(ratio)-first)/(last-first) }
	height := plotTop + plotLine*len(compared)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotLeft+plotSpan+40, height+40)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotLeft+plotSpan+40, height+40)
	for decade := first; decade <= last; decade++ {
		ratio, color := math.Pow(10, decade), "#ddd"
		if decade == 0 {
			color = "#555"
		}
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>`, x(ratio), plotTop-8, x(ratio), height, color)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", x(ratio), height+16, ratio)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">the peer's time over ours</text>`+"\n", plotLeft+plotSpan/2, height+34)
	for i, r := range compared {
		y := plotTop + plotLine*i + 4
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", plotLeft-12, y+4, r.Name)
		for _, c := range columns {
			if v, ok := r.Beside[c.peer]; ok {
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%d" r="4.5" fill="%s" fill-opacity="0.8"/>`, x(v.Ratio), y, c.color)
			}
		}
		b.WriteString("\n")
	}
	at := plotLeft
	for _, c := range columns {
		if _, n := suite.GeometricMean(rows, c.peer); n > 0 {
			fmt.Fprintf(&b, `<circle cx="%d" cy="18" r="4.5" fill="%s"/><text x="%d" y="22">%s</text>`+"\n", at, c.color, at+9, c.title)
			at += 100
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
