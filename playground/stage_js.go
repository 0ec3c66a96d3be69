package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

// sourceName is the name of the source in messages.
const sourceName = "kernels.ti"

// A stage has the scene that runs.
type stage struct {
	player *scene.Player
	stop   context.CancelFunc
	done   chan struct{} // closed when the scene has ended; nil for none
}

// do does what the page asks for.
func (s *stage) do(ctx context.Context, r request) {
	switch r.Do {
	case "run":
		s.run(ctx, r)
	case "stop":
		s.end()
		post(map[string]any{"state": "done", "text": ""})
	case "inspect":
		s.inspect(r)
	}
}

// end ends the scene that runs, and waits for it.
func (s *stage) end() {
	if s.done == nil {
		return
	}
	s.stop()
	<-s.done
	s.done = nil
}

// close ends the scene that runs, and frees what it has.
func (s *stage) close() {
	s.end()
	if s.player != nil {
		_ = s.player.Close()
	}
	s.player = nil
}

// run shows a scene in place of the one before, unless it has mistakes. Where there is no memory for both, the one before is ended first.
func (s *stage) run(ctx context.Context, r request) {
	player, err := open(r)
	if errors.Is(err, ti.ErrMemory) && s.player != nil { // there may be room for one of the two
		s.close()
		post(map[string]any{"state": "done", "text": ""})
		player, err = open(r)
	}
	post(map[string]any{"errors": mistakes(err, r)})
	if err != nil {
		return
	}
	s.close()
	ctx, s.stop = context.WithCancel(ctx)
	done := make(chan struct{})
	s.player, s.done = player, done
	post(map[string]any{"state": "running", "text": "", "shows": player.Shows(), "inspectable": s.inspectable()})
	go func() {
		defer close(done)
		switch err := player.Run(ctx, gui.Config{}); {
		case ctx.Err() != nil:
		case err != nil:
			post(map[string]any{"state": "failed", "text": err.Error(), "errors": mistakes(err, r)})
		default:
			post(map[string]any{"state": "done", "text": ""})
		}
	}()
}

// open compiles a scene.
func open(r request) (*scene.Player, error) {
	sc, err := scene.Parse(r.Scene)
	if err != nil {
		return nil, err
	}
	files := script.Split(sourceName, r.Source)
	return sc.Open(scene.Options{Config: ti.Config{Arch: ti.Wasm}, Sources: files.Sources, Libraries: script.OnlyThese(files.Libraries), Out: printer{}, Frames: r.Frames})
}

// mostMistakes is how many mistakes the page is told.
const mostMistakes = 100

// mistakes are the errors of a scene for the page, with the lines of the text that has all files.
func mistakes(err error, r request) []any {
	list := []any{}
	before := script.Split(sourceName, r.Source).Before
	add := func(file string, line, column int, text, help, code string) {
		if len(list) < mostMistakes {
			list = append(list, map[string]any{"file": file, "line": line, "column": column, "text": text, "help": help, "code": code})
		}
	}
	var source ti.SourceErrors
	var failed *ti.RuntimeError
	var scenes scene.Errors
	switch {
	case err == nil:
	case errors.As(err, &source):
		for _, e := range source {
			add(e.Pos.Filename, e.Pos.Line+before[e.Pos.Filename], e.Pos.Column, e.Msg, e.Help, fmt.Sprint(e.Code))
		}
	case errors.As(err, &failed):
		add(failed.Pos.Filename, failed.Pos.Line+before[failed.Pos.Filename], failed.Pos.Column, failed.Msg, "", "")
	case errors.As(err, &scenes):
		for _, e := range scenes {
			add("scene", e.Line, 0, e.Text, "", "")
		}
	default:
		add("", 0, 0, err.Error(), "", "")
	}
	return list
}

// inspect tells what the compiler has made of the source of the scene.
func (s *stage) inspect(r request) {
	text := "Nothing runs.\n"
	if s.player != nil {
		var b strings.Builder
		if err := s.player.Inspect(&b, r.Kernel, r.Stage); err != nil {
			fmt.Fprintln(&b, err)
		}
		text = b.String()
	}
	post(map[string]any{"inspected": text})
}

// inspectable is what the page can ask to inspect.
func (s *stage) inspectable() map[string]any {
	stages, err := s.player.Stages()
	if err != nil {
		return nil
	}
	return map[string]any{"kernels": list(s.player.Kernels()), "stages": list(stages)}
}

// list is a list for JavaScript.
func list(texts []string) (all []any) {
	for _, t := range texts {
		all = append(all, t)
	}
	return all
}
