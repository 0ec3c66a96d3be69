//go:build ti_ahead && !ti_nowasm && (ti_wasm || js)

package targets

import "github.com/gotaichi/ti/internal/target"

// moduleCompiler fails: modules are those that the program has.
func moduleCompiler() (target.Compiler, error) { return nil, &target.Absent{Why: errNoCompiler} }

func moduleText() target.Compiler { return target.None{Why: errNoCompiler} }
