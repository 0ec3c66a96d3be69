package ir

import (
	"github.com/gotaichi/ti/internal/site"
)

// A Site is a place in the source at which a launch can fail, or hands something
// to the host.
type Site struct {
	Pos Pos
	site.Site
}
