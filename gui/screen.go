//go:build !js

package gui

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A server shows a window in pages.
type server struct {
	w        *Window
	listener net.Listener
	http     *http.Server
	word     string        // without which nobody gets anything
	local    bool          // nobody but this machine can ask
	patience time.Duration // with pages that read nothing

	mu      sync.Mutex
	viewers map[*viewer]bool
	last    *frame
	change  chan struct{} // closed when viewers come or go, or have drawn something
	begun   bool          // there was a frame
	empty   time.Time     // since when there is no viewer
	closed  bool
}

// openScreen serves the page of a window.
func openScreen(w *Window) (screen, error) {
	s := &server{w: w, patience: patience, viewers: map[*viewer]bool{}, change: make(chan struct{})}
	if err := s.listen(); err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = s.http.Serve(s.listener) }()
	opened := !w.config.Quiet && openBrowser(s.address(), w.width, w.height) == nil
	how := "open"
	if opened {
		how = "shown by a browser, at"
	}
	fmt.Fprintf(os.Stderr, "gui: the window %q: %s %s\n", w.title, how, s.address())
	return s, nil
}

// listen takes the port that Config.Listen names, or the one of the last window with the same title, or any.
func (s *server) listen() (err error) {
	var bytes [16]byte
	_, _ = rand.Read(bytes[:]) // it never fails
	s.word = fmt.Sprintf("%x", bytes)
	at, kept := s.w.config.Listen, recall(s.w.title)
	switch {
	case at != "":
		s.listener, err = net.Listen("tcp", at)
	case isLocal(kept.Address):
		s.listener, err = net.Listen("tcp", kept.Address)
	}
	if at == "" && s.listener == nil {
		s.listener, err = net.Listen("tcp", anyPort)
	}
	if err != nil {
		return fmt.Errorf("no page can be served: %w; Config.Listen chooses another address", err)
	}
	where := s.listener.Addr().String()
	if where == kept.Address {
		s.word = kept.Word
	}
	keep(s.w.title, place{where, s.word})
	tcp, _ := s.listener.Addr().(*net.TCPAddr)
	s.local = tcp != nil && tcp.IP.IsLoopback()
	return nil
}

// address is that of the page.
func (s *server) address() string { return "http://" + s.listener.Addr().String() + "/" + s.word + "/" }

// ServeHTTP gives pages their files and connections.
func (s *server) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if s.local && !isLocal(r.Host) {
		http.Error(out, "This window is for the machine on which its program runs. Ask for it as localhost.", http.StatusForbidden)
		return
	}
	word, file, whole := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !whole || subtle.ConstantTimeCompare([]byte(word), []byte(s.word)) != 1 {
		http.Error(out, "The address lacks the word that the program has printed, or has that of another run.", http.StatusNotFound)
		return
	}
	h := out.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' blob:")
	switch file {
	case "":
		give(out, "text/html; charset=utf-8", pageHTML)
	case "window.js":
		give(out, "text/javascript; charset=utf-8", pageScript)
	case "window.css":
		give(out, "text/css; charset=utf-8", pageStyle)
	case "events":
		s.connect(out, r)
	default:
		http.NotFound(out, r)
	}
}

func give(out http.ResponseWriter, kind string, data []byte) {
	out.Header().Set("Content-Type", kind)
	_, _ = out.Write(data) // a page that has gone hears nothing
}

// isLocal reports whether a host is this machine, at any port, since tunnels change that.
func isLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	return name == "localhost" || net.ParseIP(name).IsLoopback()
}

// connect serves a page until it goes. A page of another origin is refused.
func (s *server) connect(out http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(out, r, nil)
	if err != nil {
		return // it has been answered
	}
	conn.SetReadLimit(1 << 16)
	v := newViewer(conn, s.patience)
	if !s.enter(v) {
		_ = conn.Close(websocket.StatusGoingAway, "the window is closed")
		return
	}
	v.run(s)
	s.leave(v)
}

// enter has a page look at the window.
func (s *server) enter(v *viewer) bool {
	state := s.w.state()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	for _, m := range state {
		v.tell(m)
	}
	if s.last != nil {
		v.show(s.last)
	}
	s.viewers[v] = true
	s.changed()
	return true
}

func (s *server) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v)
	s.empty = time.Now()
	s.changed()
}

// changed wakes those who wait. The server is locked.
func (s *server) changed() {
	close(s.change)
	s.change = make(chan struct{})
}

func (s *server) show(f *frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = f
	for v := range s.viewers {
		v.show(f)
	}
}

func (s *server) tell(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.viewers {
		v.tell(m)
	}
}

// away is how long a window may have no page before it is closed: a page that is loaded anew, or a line that breaks, comes back sooner.
const away = 3 * time.Second

func (s *server) begin(ctx context.Context, _ int) bool {
	for {
		s.mu.Lock()
		change, wait := s.change, false
		switch {
		case s.closed:
			s.mu.Unlock()
			return false
		case len(s.viewers) > 0 || s.w.config.Unseen:
			s.begun = true
		case !s.begun: // however long it takes until somebody looks
			wait = true
		case time.Since(s.empty) > away:
			s.mu.Unlock()
			return false
		}
		s.mu.Unlock()
		if !wait {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-change:
		}
	}
}

// sync waits until each page has drawn the last picture, or has gone.
func (s *server) sync(ctx context.Context) error {
	for {
		s.mu.Lock()
		change, behind := s.change, false
		for v := range s.viewers {
			behind = behind || s.last != nil && !v.hasDrawn(s.last.number)
		}
		s.mu.Unlock()
		if !behind {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-change:
		}
	}
}

// closing is how long Close waits for pages that do not read.
const closing = time.Second

func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	_ = s.sync(ctx) // the last picture stays when the program has ended
	s.tell(message{End: "The program has closed the window."})
	s.mu.Lock()
	s.closed = true
	viewers := make([]*viewer, 0, len(s.viewers))
	for v := range s.viewers {
		viewers = append(viewers, v)
	}
	s.changed()
	s.mu.Unlock()
	for _, v := range viewers {
		v.end(ctx)
	}
	return errors.Join(s.http.Close(), ignoring(s.listener.Close(), net.ErrClosed))
}

// ignoring is an error unless it is one that says nothing new.
func ignoring(err, known error) error {
	if errors.Is(err, known) {
		return nil
	}
	return err
}
