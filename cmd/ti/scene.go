package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

// scene shows a scene in a window until that is closed.
func (c *runCmd) scene(std *stdio) error {
	if len(c.Files)+len(c.Tree)+len(c.Bind)+len(c.Call)+len(c.Save)+len(c.Print)+len(c.Words) > 0 {
		return errors.New("-scene stands without a source, -tree, -bind, -call, -save and -print; the lines of the scene say that")
	}
	text, err := script.ReadSource(c.Scene)
	if err != nil {
		return err
	}
	sc, err := scene.Parse(string(text))
	if err != nil {
		return c.sceneError(std, err)
	}
	if sc.Title == "" {
		sc.Title = filepath.Base(c.Scene)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg := c.Device.config()
	p, err := sc.Open(scene.Options{Config: cfg, Name: c.Scene, Libraries: c.Library, Out: std.out})
	if err != nil {
		return c.sceneError(std, err)
	}
	err = p.Run(ctx, gui.Config{Listen: c.Listen})
	if errors.Is(err, context.Canceled) { // people have interrupted it
		err = nil
	}
	return c.sceneError(std, errors.Join(err, p.Close()))
}

// sceneError prints the mistakes of a scene as those of a source are.
func (c *runCmd) sceneError(std *stdio, err error) error {
	var list scene.Errors
	if !errors.As(err, &list) {
		return sourceError(std, err)
	}
	for _, e := range list {
		if e.Line == 0 {
			fmt.Fprintf(std.err, "%s: %s\n", script.Display(c.Scene), e.Text)
		} else {
			fmt.Fprintf(std.err, "%s:%d: %s\n", script.Display(c.Scene), e.Line, e.Text)
		}
	}
	return errReported
}
