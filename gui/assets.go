package gui

import _ "embed"

// The files of a page.
var (
	//go:embed page/index.html
	pageHTML []byte
	//go:embed page/window.js
	pageScript []byte
	//go:embed page/window.css
	pageStyle []byte
)
