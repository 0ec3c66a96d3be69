//go:build !js

package gui

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A viewer is a page that looks at a window.
type viewer struct {
	conn     *websocket.Conn
	patience time.Duration // how long a message may take until the page is cut off
	wake     chan struct{}
	done     chan struct{} // closed when nothing is written any more
	room     []byte        // of the last picture's message, for the next one

	mu       sync.Mutex
	told     []message
	newest   *frame          // that waits; nil for none
	underWay map[uint32]sent // pictures that were sent, and are not drawn
	drawn    uint32          // the last one that was
	slow     bool            // pictures take too long on this line
	ending   bool
}

// A sent picture.
type sent struct {
	at     time.Time
	longer float64 // how many times as long it would have been without compression
}

const (
	mostUnderWay = 2       // pictures
	mostTold     = 1 << 13 // messages that wait for a page; one that is further behind is cut off, and comes again
	patience     = time.Minute

	slowFrom = 50 * time.Millisecond // a raw picture takes that long on a slow line
)

func newViewer(conn *websocket.Conn, patience time.Duration) *viewer {
	return &viewer{conn: conn, patience: patience, wake: make(chan struct{}, 1), done: make(chan struct{}), underWay: map[uint32]sent{}}
}

// stir has the writer look for something to write.
func (v *viewer) stir() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// show has a picture wait for the page, in place of one that waits.
func (v *viewer) show(f *frame) {
	v.mu.Lock()
	v.newest = f
	v.mu.Unlock()
	v.stir()
}

func (v *viewer) tell(m message) {
	v.mu.Lock()
	if v.told = append(v.told, m); len(v.told) > mostTold {
		v.told, v.ending = nil, true
	}
	v.mu.Unlock()
	v.stir()
}

// hasDrawn reports whether the page has drawn a picture, or a later one.
func (v *viewer) hasDrawn(number uint32) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.drawn >= number
}

// end has the page told all that waits, and then nothing more.
func (v *viewer) end(ctx context.Context) {
	v.mu.Lock()
	v.ending = true
	v.mu.Unlock()
	v.stir()
	select {
	case <-v.done:
	case <-ctx.Done():
	}
}

// run serves the page until it goes.
func (v *viewer) run(s *server) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		v.write(ctx)
		close(v.done)
		cancel()
		_ = v.conn.CloseNow()
	}()
	v.read(ctx, s)
	cancel()
	<-v.done
}

// read hears the page.
func (v *viewer) read(ctx context.Context, s *server) {
	for {
		_, data, err := v.conn.Read(ctx)
		if err != nil {
			return
		}
		var e event
		if json.Unmarshal(data, &e) != nil {
			continue // of a page of another version
		}
		if e.Kind != eventDrawn {
			s.w.hear(e)
			continue
		}
		v.hasSeen(e.Frame)
		s.mu.Lock()
		s.changed()
		s.mu.Unlock()
	}
}

// hasSeen notes that the page has drawn a picture, and how long that took.
func (v *viewer) hasSeen(number uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p, known := v.underWay[number]
	if !known {
		return
	}
	delete(v.underWay, number)
	v.drawn = max(v.drawn, number)
	v.slow = float64(time.Since(p.at))*p.longer > float64(slowFrom)
	v.stir()
}

// write tells the page what it has to know, until it goes or the window is closed.
func (v *viewer) write(ctx context.Context) {
	for {
		v.mu.Lock()
		told, ending := v.told, v.ending
		v.told = nil
		var f *frame
		if len(v.underWay) < mostUnderWay && v.newest != nil {
			f, v.newest = v.newest, nil
			v.underWay[f.number] = sent{at: time.Now(), longer: 1}
		}
		slow := v.slow
		v.mu.Unlock()
		for _, m := range told {
			if v.send(ctx, websocket.MessageText, encoded(m)) != nil {
				return
			}
		}
		switch {
		case f != nil:
			data := v.pixels(f, slow)
			if v.send(ctx, websocket.MessageBinary, data) != nil {
				return
			}
			continue
		case ending:
			_ = v.conn.Close(websocket.StatusNormalClosure, "")
			return
		}
		select {
		case <-v.wake:
		case <-ctx.Done():
			return
		}
	}
}

// pixels is the message of a picture that is under way from now on.
func (v *viewer) pixels(f *frame, slow bool) []byte {
	if !slow {
		v.room = f.raw(v.room)
		return v.room
	}
	data := f.compressed()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.underWay[f.number] = sent{at: time.Now(), longer: float64(f.rawBytes()) / float64(len(data))}
	return data
}

func encoded(m message) []byte {
	b, _ := json.Marshal(m) // numbers that JSON lacks are not let in
	return b
}

func (v *viewer) send(ctx context.Context, kind websocket.MessageType, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, v.patience)
	defer cancel()
	return v.conn.Write(ctx, kind, data)
}
