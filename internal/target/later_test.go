package target

import (
	"errors"
	"testing"
)

// TestLater makes a compiler in the background, and one that cannot be made.
func TestLater(t *testing.T) {
	begun, finish := make(chan bool), make(chan bool)
	c := Later(func() (Compiler, error) {
		begun <- true
		<-finish
		return None{Of: Traits{Name: "late"}}, nil
	})
	<-begun // without a call
	close(finish)
	if got := c.Traits().Name; got != "late" {
		t.Errorf("its name is %q", got)
	}
	broken := errors.New("broken")
	if err := Ready(c); err == nil {
		t.Error("a compiler that makes no code is ready")
	}
	c = Later(func() (Compiler, error) { return nil, broken })
	if err := Ready(c); !errors.Is(err, broken) {
		t.Errorf("a compiler that cannot be made is ready: %v", err)
	}
	if _, err := c.Translate(nil, Options{}); !errors.Is(err, broken) {
		t.Errorf("a compiler that cannot be made gives %v", err)
	}
	if _, err := c.Identity(Options{}); !errors.Is(err, broken) {
		t.Errorf("its identity gives %v", err)
	}
}
