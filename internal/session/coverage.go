//go:build !ti_ahead

package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/cover"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/syntax"
)

// coverage counts the blocks of one program, in a field that all of its kernels
// update.
type coverage struct {
	profiler *cover.Profiler
	counters store.Field
	dirs     []string // where relative names of files may start
}

// newCoverage gives p its counters; dir is that of the Go file that loads it.
func newCoverage(p *Program, dir string) (*coverage, error) {
	source, errs := p.of.Source.Parsed()
	if source == nil {
		return nil, errs
	}
	c := &coverage{profiler: cover.New(source.Own()), dirs: []string{"", dir}}
	core := &c.counters
	core.Init(reflect.TypeFor[int64]())
	p.rt.Place(store.Shape{max(1, len(c.profiler.Blocks))}, core)
	if err := core.Ready(); err != nil {
		return nil, fmt.Errorf("ti: the counters of Config.Cover: %w", err)
	}
	p.of.Bound.Add(cover.Name, core)
	return c, nil
}

// instrument puts counters into a checked program.
func (c *coverage) instrument(t *front.Tree) { c.profiler.Instrument(&t.Program.Program) }

// addOf adds the counts of a program.
func (c *coverage) addOf(to *cover.Profile, p *Program) error {
	source, _ := p.of.Source.Parsed() // which was done when p was loaded
	return c.add(to, source.Own())
}

// add adds the counts to a profile. It needs the launch lock.
func (c *coverage) add(to *cover.Profile, files []*syntax.File) error {
	names := map[string]string{}
	for _, f := range files {
		text := f.Text(f.Tree.FileStart, f.Tree.FileEnd)
		path, ok := cover.FileName(f.Name, func(data string) bool { return strings.Contains(data, text) }, c.dirs...)
		if !ok {
			name := "a source without a name"
			if f.Name != "" {
				name = f.Name
			}
			return fmt.Errorf("ti: coverage of package %s is not written: %s is no file that can be found; give ti.Text its path", f.Tree.Name.Name, name)
		}
		names[f.Name] = path
	}
	for i, b := range c.profiler.Blocks {
		var n uint64
		c.counters.Get(unsafe.Pointer(&n), store.Index{i}, 1)
		to.Add(names[b.From.Filename], b, n)
	}
	return nil
}

// saveCoverage writes what Config.Cover asks for.
func (rt *Runtime) saveCoverage(programs []*Program) error {
	if rt.maker.Opt.Cover == "" {
		return nil
	}
	rt.maker.Turn.Lock() // wait for launches
	defer rt.maker.Turn.Unlock()
	var profile cover.Profile
	var errs []error
	for _, p := range programs {
		if p.cover != nil {
			errs = append(errs, p.cover.addOf(&profile, p))
		}
	}
	if err := profile.Save(rt.maker.Opt.Cover); err != nil {
		errs = append(errs, fmt.Errorf("ti: writing the coverage: %w", err))
	}
	return errors.Join(errs...)
}

// startCoverage is newCoverage as part of loading.
func (p *Program) startCoverage(loader string) error {
	if p.rt.maker.Opt.Cover == "" {
		return nil
	}
	var err error
	if p.cover, err = newCoverage(p, filepath.Dir(loader)); err == nil {
		p.of.Instrument = p.cover.instrument
	}
	return err
}
