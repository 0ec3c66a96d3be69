package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// A series is a line of the plot: the times of a peer, or ours for "".
type series struct {
	peer, title, color string
}

var plotted = []series{
	{"", "pointer, dense", "#0b6e4f"},
	{"dense", "dense array", "#8a8f98"},
	{"taichi", "Taichi", "#c8553d"},
	{"openvdb", "OpenVDB", "#3a5ba0"},
}

// Geometry of the plot, in pixels.
const (
	panelWidth, panelHeight = 330, 260
	marginLeft, marginTop   = 74, 34
	gap                     = 84
	plotWidth               = marginLeft + 2*panelWidth + gap + 150
	plotHeight              = marginTop + panelHeight + 50
)

// plot draws milliseconds against activity, both on logarithmic scales, for iterate and stencil.
func plot(rows []*suite.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	for i, kind := range []string{"iterate", "stencil"} {
		drawPanel(&b, marginLeft+i*(panelWidth+gap), kind, rows)
	}
	for i, s := range plotted {
		x, y := plotWidth-135, marginTop+20+22*i
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2.5"/>`, x, y, x+22, y, s.color)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", x+28, y+4, s.title)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// A point is a time at an activity.
type point struct{ percent, ms float64 }

// points returns those of a series, in the order of the rows.
func points(rows []*suite.Row, kind, peer string) (all []point) {
	for _, r := range rows {
		name, percent := split(r.Name)
		if name != kind {
			continue
		}
		us := r.MedianUs
		if peer != "" {
			us = r.Beside[peer].MedianUs
		}
		if us > 0 {
			all = append(all, point{percent, us / 1e3})
		}
	}
	return all
}

// drawPanel draws one case, with axes.
func drawPanel(b *strings.Builder, left int, kind string, rows []*suite.Row) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range plotted {
		for _, p := range points(rows, kind, s.peer) {
			low, high = min(low, p.ms), max(high, p.ms)
		}
	}
	if math.IsInf(low, 1) {
		return
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high)+1e-9) // decades of time
	x := func(percent float64) float64 { return float64(left) + panelWidth*(math.Log10(percent)+1)/3 }
	y := func(ms float64) float64 {
		return marginTop + panelHeight*(last-math.Log10(ms))/(last-first)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" font-size="14">%s</text>`+"\n", left+panelWidth/2, marginTop-12, kind)
	const line = `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`
	for _, percent := range []float64{0.1, 1, 10, 100} {
		fmt.Fprintf(b, line, x(percent), y(math.Pow(10, first)), x(percent), y(math.Pow(10, last)))
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%g %%</text>`+"\n", x(percent), marginTop+panelHeight+18, percent)
	}
	for decade := first; decade <= last; decade++ {
		ms := math.Pow(10, decade)
		fmt.Fprintf(b, line, x(0.1), y(ms), x(100), y(ms))
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%g ms</text>`+"\n", left-6, y(ms)+4, ms)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">active cells</text>`+"\n", left+panelWidth/2, marginTop+panelHeight+38)
	for _, s := range plotted {
		var path []string
		for _, p := range points(rows, kind, s.peer) {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(p.percent), y(p.ms)))
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x(p.percent), y(p.ms), s.color)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2.5"/>`+"\n", strings.Join(path, " "), s.color)
	}
}
