package session

import (
	"fmt"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/store"
)

// NewStrides describes an array of some shape in a slice of n elements, made by the named
// function of package ti. What does not fit, or why says, is told by the launch.
func NewStrides(function string, shape store.Shape, along []int, n int, why string) *hostabi.Strides {
	s, misfit := hostabi.NewStrides(shape, along, n)
	if why == "" {
		why = misfit
	}
	if why != "" {
		at := diag.User()
		s.Bad = fmt.Sprintf("comes from ti.%s at %s:%d: %s", function, at.Filename, at.Line, why)
	}
	return s
}
