//go:build !ti_ahead

package runtest

import (
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/llvm"
)

// Processors are those that tests make code for by turns, as TI_PROCESSOR has them: "", which is this machine's, and each
// level of its architecture that it can run, the highest first. Where the environment names one, it is the only one.
var Processors = sync.OnceValue(func() []string {
	all := []string{""}
	if os.Getenv(llvm.EnvProcessor) != "" {
		return all
	}
	for _, l := range ahead.Here() {
		if slices.Contains(llvm.Processors(runtime.GOARCH), l.Processor) {
			all = append(all, l.Processor)
		}
	}
	return all
})

// ProcessorOf is the processor whose turn it is.
func ProcessorOf[N int | uint64](turn N) string {
	all := Processors()
	return all[turn%N(len(all))]
}

// Libraries are the files of the libLLVMs that tests compile by in turns, one of each major version on this machine, the
// newest first. Where the environment names one, it is the only one. Where there is none, the only one is "", the usual one, and the code is another target's.
var Libraries = sync.OnceValue(func() (all []string) {
	if path := os.Getenv(llvm.EnvPath); path != "" {
		return []string{path}
	}
	majors := map[int]bool{}
	for _, c := range llvm.Find() {
		if l, err := llvm.Open(c.Path); err == nil && !majors[l.Version().Major] {
			majors[l.Version().Major] = true
			all = append(all, c.Path)
		}
	}
	if len(all) == 0 {
		all = []string{""}
	}
	return all
})

// CodeLevels are the levels of code ahead of time that the targets of tests run, the best first.
func CodeLevels() []ahead.Level {
	if os.Getenv("TI_INSTEAD") == config.Wasm.String() {
		return []ahead.Level{ahead.Wasm}
	}
	return ahead.Here()
}
