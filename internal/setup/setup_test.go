package setup

import "testing"

func TestNewest(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"", ""},
		{"libllvm14 libllvm13", ""},
		{"libllvm15\nlibllvm19\nlibllvm16", "libllvm19"},
		{"libllvm9 libllvm17t64 libllvm-ocaml-dev libllvmlibc-dev", "libllvm17t64"},
		{"libllvm22 libllvm3.5", "libllvm22"},
	} {
		if got, ok := newest(c.names); got != c.want || ok != (c.want != "") {
			t.Errorf("newest(%q) = %q, %v; want %q", c.names, got, ok, c.want)
		}
	}
}

func TestTail(t *testing.T) {
	if got := tail("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("tail = %q", got)
	}
	if got := tail("a", 3); got != "a" {
		t.Errorf("tail = %q", got)
	}
}
