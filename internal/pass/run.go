package pass

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/target"
)

// Options steer the passes.
type Options struct {
	option.Options
	Target target.Traits
	Layout unit.Layout // where fields lie

	strategy func(string) // called with the decisions of split, before it changes anything; may be nil

	Notes *note.Notes              // receives the remarks of passes for users; may be nil
	Dump  func(stage, text string) // called with the text after every stage that changed it
	Until string                   // stop after this stage, in the last round if it repeats; "" for the last stage
	Stop  <-chan struct{}          // closed to cancel the run, which then fails with ErrStopped; may be nil

	// Time is called after every pass, TimeTask for each task that a pass handles by itself. They may be nil.
	Time     func(stage string, d time.Duration)
	TimeTask func(t *ir.Task, stage string, d time.Duration)
}

// ErrStopped is the error of a run that was cancelled by Options.Stop.
var ErrStopped = errors.New("compilation was cancelled")

// state is the input of a pass.
type state struct {
	k         *ir.Kernel
	opts      *Options
	stageName string
	fix       *fixpoint // of the fixpoint loop that runs now; nil outside of such loops
}

// Stages returns the names of all stages in their order, including [StrategyStage].
func Stages() []string {
	var names []string
	for _, r := range pipeline() {
		if r.name == "split" {
			names = append(names, StrategyStage)
		}
		names = append(names, r.name)
	}
	return names
}

// Run takes k through the pipeline. An error is a bug in a pass, or opts.Until is no stage; k is then in no usable state.
func Run(k *ir.Kernel, opts Options) error {
	if opts.Until != "" && opts.Until != "lower" && !slices.Contains(Stages(), opts.Until) {
		return fmt.Errorf("there is no stage %q; the stages are %q", opts.Until, append([]string{"lower"}, Stages()...))
	}
	s := &state{k: k, opts: &opts}
	d := dumper{opts: &opts}
	d.dump("lower", k)
	if opts.Until == "lower" {
		return nil
	}
	for rows := pipeline(); len(rows) > 0; {
		stages := firstLoop(rows)
		rows = rows[len(stages):]
		if stages[0].name == "split" && opts.Until == StrategyStage {
			return nil
		}
		if err := s.loop(stages, &d); err != nil {
			return err
		}
		if slices.ContainsFunc(stages, func(r row) bool { return r.name == opts.Until }) {
			return nil
		}
	}
	return nil
}

// wants reports whether the options select a stage.
func (o *Options) wants(r *row) bool {
	return (r.required || o.Level > 0) && !o.Without.Has(r.off) && o.Target.Provides(r.needs) && (r.when == nil || r.when(o))
}

// RunStage takes k through one stage only, for tests.
func RunStage(k *ir.Kernel, opts Options, name string) error {
	for _, r := range pipeline() {
		if r.name == name {
			return (&state{k: k, opts: &opts}).stage(&r)
		}
	}
	return fmt.Errorf("there is no stage %q; the stages are %q", name, Stages())
}

// stage runs one pass, times it and verifies its output.
func (s *state) stage(r *row) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in pass %s of kernel %s: %v\n%s", r.name, s.k.Name, p, debug.Stack())
		}
	}()
	s.stageName = r.name
	if s.opts.FailIn == r.name {
		panic("a fault was asked for")
	}
	start := time.Now()
	r.run(s)
	if s.opts.Time != nil {
		s.opts.Time(r.name, time.Since(start))
	}
	if s.opts.Verify {
		if err := ir.Verify(s.k); err != nil {
			return fmt.Errorf("pass %s leaves kernel %s broken: %w\n%s", r.name, s.k.Name, err, s.k)
		}
	}
	return nil
}

// A dumper calls Dump with the text after each stage, without stages that changed nothing.
type dumper struct {
	opts *Options
	last string
}

func (d *dumper) dump(stage string, k *ir.Kernel) {
	if d.opts.Dump == nil {
		return
	}
	if text := k.String(); text != d.last {
		d.last = text
		d.opts.Dump(stage, text)
	}
}
