package page

import (
	"fmt"
	"image"
	"image/draw"
	"syscall/js"
)

// Open reports whether the program runs in a page.
func Open() bool { return document().Truthy() }

func document() js.Value { return js.Global().Get("document") }

// element returns the element with an id. One that is missing is appended to the page.
func element(kind, id string) js.Value {
	e := document().Call("getElementById", id)
	if !e.Truthy() {
		e = document().Call("createElement", kind)
		e.Set("id", id)
		document().Get("body").Call("appendChild", e)
	}
	return e
}

// Draw shows a picture on the canvas, which gets its size, and lets the page show it before it returns.
func Draw(img image.Image) (err error) {
	if !Open() {
		return ErrNoPage
	}
	defer func() {
		if thrown, is := recover().(js.Error); is {
			err = fmt.Errorf("page: the picture cannot be drawn: %w", thrown)
		}
	}()
	size := img.Bounds().Size()
	if size.X == 0 || size.Y == 0 {
		return fmt.Errorf("page: a picture of %d×%d pixels", size.X, size.Y)
	}
	pixels := image.NewNRGBA(image.Rectangle{Max: size}) // as ImageData has them
	draw.Draw(pixels, pixels.Rect, img, img.Bounds().Min, draw.Src)
	canvas := element("canvas", "ti-canvas")
	if canvas.Get("width").Int() != size.X || canvas.Get("height").Int() != size.Y {
		canvas.Set("width", size.X)
		canvas.Set("height", size.Y)
	}
	bytes := js.Global().Get("Uint8ClampedArray").New(len(pixels.Pix))
	js.CopyBytesToJS(bytes, pixels.Pix)
	data := js.Global().Get("ImageData").New(bytes, size.X, size.Y)
	canvas.Call("getContext", "2d").Call("putImageData", data, 0, 0)
	shown()
	return nil
}

// Progress shows a line of text, such as how many steps are done.
func Progress(text string) error {
	if !Open() {
		return ErrNoPage
	}
	element("p", "ti-progress").Set("textContent", text)
	return nil
}

// shown waits until the page has its next picture, or a tenth of a second where it is hidden and draws none.
func shown() {
	done := make(chan struct{}, 2)
	call := js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case done <- struct{}{}:
		default:
		}
		return nil
	})
	frame := js.Global().Call("requestAnimationFrame", call)
	timer := js.Global().Call("setTimeout", call, 100)
	<-done
	js.Global().Call("cancelAnimationFrame", frame)
	js.Global().Call("clearTimeout", timer)
	call.Release()
}
