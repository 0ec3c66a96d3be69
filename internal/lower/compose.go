package lower

import (
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

func (l *lowerer) compose(f *check.Func) []*ir.Value { return l.inline(f) }
