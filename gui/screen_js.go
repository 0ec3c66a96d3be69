package gui

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"syscall/js"
)

// An inPage is a window that is a part of the page in which the program runs.
type inPage struct {
	w      *Window
	take   js.Value // a function of the page that takes messages
	send   js.Func
	mu     sync.Mutex
	frame  *frame // that is not drawn yet
	closed bool
}

// rootID is the element that becomes the window. One that is missing is appended to the page.
const rootID = "ti-window"

// pageRoot returns the element that becomes the window.
func pageRoot(document js.Value) js.Value {
	root := document.Call("getElementById", rootID)
	if root.Truthy() {
		return root
	}
	style := document.Call("createElement", "style")
	style.Set("textContent", string(pageStyle))
	document.Get("head").Call("appendChild", style)
	root = document.Call("createElement", "main")
	root.Set("id", rootID)
	document.Get("body").Call("prepend", root)
	return root
}

// openScreen makes the window in the page. A worker has no page; its script may have a function tiWindow that hands messages on to one, which takes null for the element.
func openScreen(w *Window) (screen, error) {
	root := js.Null()
	if document := js.Global().Get("document"); document.Truthy() {
		root = pageRoot(document)
		js.Global().Call("eval", string(pageScript)) // it declares tiWindow
	} else if js.Global().Get("tiWindow").Type() != js.TypeFunction {
		return nil, errors.New("this program does not run in a page")
	}
	p := &inPage{w: w}
	p.send = js.FuncOf(func(_ js.Value, args []js.Value) any {
		var e event
		text := js.Global().Get("JSON").Call("stringify", args[0]).String()
		if json.Unmarshal([]byte(text), &e) == nil && e.Kind != eventDrawn {
			w.hear(e)
		}
		return nil
	})
	p.take = js.Global().Call("tiWindow", root, p.send)
	for _, m := range w.state() {
		p.tell(m)
	}
	return p, nil
}

func (p *inPage) tell(m message) {
	text, _ := json.Marshal(m) // numbers that JSON lacks are not let in
	p.take.Invoke(js.Global().Get("JSON").Call("parse", string(text)))
}

func (p *inPage) show(f *frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame = f
}

// draw draws the last picture.
func (p *inPage) draw() {
	p.mu.Lock()
	f := p.frame
	p.frame = nil
	p.mu.Unlock()
	if f == nil {
		return
	}
	data := f.raw(nil)
	bytes := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(bytes, data)
	p.take.Invoke(bytes.Get("buffer"))
}

// begin draws what the last frame has shown, and lets the page have its turn. Pages have one thread.
func (p *inPage) begin(ctx context.Context, _ int) bool {
	p.draw()
	turn(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed && ctx.Err() == nil
}

func (p *inPage) sync(ctx context.Context) error {
	p.draw()
	turn(ctx)
	return ctx.Err()
}

func (p *inPage) close() error {
	p.draw()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.tell(message{End: "The program has closed the window."})
	return nil
}

// turn waits until the page has its next picture, or a tenth of a second where it is hidden and draws none.
func turn(ctx context.Context) {
	done := make(chan struct{}, 2)
	call := js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case done <- struct{}{}:
		default:
		}
		return nil
	})
	defer call.Release()
	frame := js.Global().Call("requestAnimationFrame", call)
	timer := js.Global().Call("setTimeout", call, 100)
	select {
	case <-done:
	case <-ctx.Done():
	}
	js.Global().Call("cancelAnimationFrame", frame)
	js.Global().Call("clearTimeout", timer)
}
