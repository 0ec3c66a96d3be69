package gui

import (
	_ "embed"
	"slices"
)

// The files of a page.
var (
	//go:embed page/index.html
	pageHTML []byte
	//go:embed page/window.js
	windowScript []byte
	//go:embed page/shapes.js
	shapesScript []byte
	//go:embed page/window.css
	pageStyle []byte
)

// pageScript is the script of a page: one text, since what a program in a page evaluates sees nothing of other texts.
var pageScript = slices.Concat(shapesScript, windowScript)
