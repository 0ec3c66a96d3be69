package main

import (
	"context"
	"encoding/json"
	"syscall/js"
)

// A request is a message of the page.
type request struct {
	Do     string `json:"do"`
	Source string `json:"source"`
	Scene  string `json:"scene"`
	Frames int    `json:"frames"` // after so many it ends; 0 for no limit
	Kernel string `json:"kernel"` // to inspect; "" for all
	Stage  string `json:"stage"`
}

// most is how many requests wait at most; a page sends one for a change of the text, a stop or a click.
const most = 64

func main() {
	requests := make(chan request, most)
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := args[0].Get("data")
		if event := data.Get("event"); event.Truthy() {
			if send := js.Global().Get("tiSend"); send.Type() == js.TypeFunction {
				send.Invoke(event)
			}
			return nil
		}
		var r request
		if text := js.Global().Get("JSON").Call("stringify", data).String(); json.Unmarshal([]byte(text), &r) == nil {
			select {
			case requests <- r:
			default: // the page asks for another worker if this one does not answer
			}
		}
		return nil
	}))
	post(map[string]any{"ready": true})
	stage := &stage{}
	for r := range requests {
		stage.do(context.Background(), r)
	}
}

// post sends a message to the page.
func post(m map[string]any) { js.Global().Call("postMessage", js.ValueOf(m)) }

// A printer sends what is written to the page.
type printer struct{}

// Write implements [io.Writer].
func (printer) Write(text []byte) (int, error) {
	post(map[string]any{"print": string(text)})
	return len(text), nil
}
