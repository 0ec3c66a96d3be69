package front

import (
	"go/token"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// Options say how a kernel is compiled.
type Options struct {
	option.Options
	Compiler   target.Compiler
	Slots      target.Slots
	Stop       <-chan struct{}
	Time       bool // print how long it takes
	Late       map[string]string
	Accesses   bool
	Gradient   bool // as it is lowered for differentiation
	Derivative *job.Derivative
	Measure    map[string][]bool // fields of which is counted what the kernel stores
	Flows      func([]job.Flow)  // takes between which fields numbers flow
	Followers  []string          // see instance.follow
}

// A StoreSite is a place in a source that stores numbers of one kind in a field.
type StoreSite struct {
	Field string
	Pos   token.Position
}
