package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// TestHistory has launches access one component, each once, and looks at the broken rule. Launches that store and add have a backward pass, and so have those
// that read; what stores constants, counts and looks has none. "need" is read again, and so is what "clamp" has added to. Behind "again" a launch is one of
// a checkpoint.
func TestHistory(t *testing.T) {
	const nothing = ""
	for _, c := range []struct{ steps, plain, clears string }{
		{"const const add need", nothing, nothing},
		{"store read add read", nothing, nothing},
		{"need add", "need 1, add 2: value", "need 1, add 2: value"},
		{"need store", "need 1, store 2: value", "need 1, store 2: value"},
		{"need const", "need 1, const 2: value", "need 1, const 2: value"},
		{"need count", "need 1, count 2: value", "need 1, count 2: value"},
		{"read need read need add", "need 2, add 5: value", "need 2, add 5: value"},
		{"need store store", "need 1, store 2: value", "need 1, store 2: value"},
		{"read store", "read 1, store 2: adjoint", nothing},
		{"read read const", "read 1, const 3: adjoint", nothing},
		{"store read store", "read 2, store 3: adjoint", nothing},
		{"store store", "store 1, store 2: adjoint", nothing},
		{"add store", "add 1, store 2: adjoint", nothing},
		{"store add const", "add 2, const 3: adjoint", nothing},
		{"store const const", "store 1, const 2: adjoint", nothing},
		{"const store", nothing, nothing},
		{"const count store", nothing, nothing},
		{"look store", nothing, nothing},
		{"count store", nothing, nothing},
		{"clamp store", "clamp 1, store 2: value", "clamp 1, store 2: value"},
		{"clamp add store", "add 2, store 3: value", "add 2, store 3: value"},
		{"clamp add", nothing, nothing},
		{"clamp clamp add", nothing, nothing},

		// Where the field has no adjoint.
		{"bare read store store", nothing, nothing},
		{"bare need store", "need 1, store 2: value", "need 1, store 2: value"},
		{"bare clamp store", "clamp 1, store 2: value", "clamp 1, store 2: value"},
		{"unknown need store", nothing, nothing},

		// In checkpoints.
		{"need again store", "need 1, store 2: value", "need 1, store 2: value"},
		{"need again add", "need 1, add 2: value", "need 1, add 2: value"},
		{"need again need", nothing, nothing},
		{"read again store", nothing, nothing},
		{"store again store", nothing, nothing},
		{"clamp again add", nothing, nothing},
		{"clamp again store", "clamp 1, store 2: value", "clamp 1, store 2: value"},
		{"need again store again store", "need 1, store 2: value", "need 1, store 2: value"},
		{"unknown need again store", nothing, nothing},

		// With changes by the program.
		{"store change read", "store 1, read 2: changed", "store 1, read 2: changed"},
		{"store read change read", "read 2, read 3: changed", "read 2, read 3: changed"},
		{"add change again read", "add 1, read 2: changed", "add 1, read 2: changed"},
		{"store change read read", "store 1, read 2: changed", "store 1, read 2: changed"},
		{"change read", nothing, nothing},
		{"const change read", nothing, nothing},
		{"store change add", nothing, nothing},
		{"store change look", nothing, nothing},
		{"store change store read", "store 1, store 2: adjoint", nothing},
		{"store change again store read", nothing, nothing},

		// With a launch that deactivates the cell: the adjoint stays, or goes with it.
		{"store drop", "store 1, drop 2: dropped", "store 1, drop 2: dropped"},
		{"store read drop", "read 2, drop 3: dropped", "read 2, drop 3: dropped"},
		{"need drop", "need 1, drop 2: value dropped", "need 1, drop 2: value dropped"},
		{"clamp drop", "clamp 1, drop 2: value dropped", "clamp 1, drop 2: value dropped"},
		{"const drop store", nothing, nothing},
		{"count drop store", nothing, nothing},
		{"bare store drop store", nothing, nothing},
		{"store lose", nothing, nothing},
		{"store lose read", nothing, nothing},
		{"store lose add", "store 1, lose 2: dropped", "store 1, lose 2: dropped"},
		{"store lose count", nothing, nothing},
		{"store lose store", "store 1, store 3: adjoint", nothing},
		{"store lose again store add", nothing, nothing},
		{"store read lose", "read 2, lose 3: lost", "read 2, lose 3: lost"},
		{"need lose", "need 1, lose 2: value dropped", "need 1, lose 2: value dropped"},
		{"need drop drop", "need 1, drop 2: value dropped", "need 1, drop 2: value dropped"},
		{"store again drop", nothing, nothing},
		{"store again drop read", "store 1, drop 2: dropped", "store 1, drop 2: dropped"},
		{"store again drop again read", "store 1, drop 2: dropped", "store 1, drop 2: dropped"},
		{"store again drop add", "store 1, drop 2: dropped", "store 1, drop 2: dropped"},
		{"store again drop again store read", nothing, nothing},
		{"read again drop add", "read 1, drop 2: dropped", "read 1, drop 2: dropped"},
		{"need again drop", "need 1, drop 2: value dropped", "need 1, drop 2: value dropped"},
		{"store again lose again read end", nothing, nothing},
		{"read again lose end", "read 1, lose 2: lost", "read 1, lose 2: lost"},
		{"read again drop stay", nothing, nothing},
		{"read again lose again store end", nothing, nothing},
		{"store again lose read end", nothing, nothing},
		{"store again lose again add", "store 1, lose 2: dropped", "store 1, lose 2: dropped"},
		{"const again drop add", nothing, nothing},
	} {
		t.Run(c.steps, func(t *testing.T) {
			h := NewHistory(1 << 20)
			launches(h, strings.Fields(c.steps))
			for clears, want := range map[bool]string{false: c.plain, true: c.clears} {
				b, count := h.First(clears)
				if got := told(b); got != want || count > 1 || (b != nil) != (count == 1) {
					t.Errorf("clears %v: %q, %d times, not %q", clears, got, count, want)
				}
			}
		})
	}
}

// TestDrop has a launch read a component, or give it a value, and a later one deactivate cells.
func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name             string
		was, is, later   bool
		steps            string
		read, given, rep bool // what the launch itself does, and whether that breaks a rule
	}{
		{name: "gone", was: true, steps: "need", rep: true},
		{name: "still there", was: true, is: true, steps: "need"},
		{name: "not there before", steps: "need"},
		{name: "made by the launch", given: true, rep: true},
		{name: "made and read by the launch", read: true, given: true, rep: true},
		{name: "read before", was: true, read: true, rep: true},
		{name: "read later", was: true, read: true, later: true},
		{name: "read by a launch before", was: true, steps: "need", read: true, later: true, rep: true},
		{name: "nothing", was: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := NewHistory(1 << 20)
			launches(h, strings.Fields(c.steps))
			w := &Watched{Kernel: "K", Reads: true, Needed: []bool{true, false}}
			for _, k := range []site.Kind{site.Read, site.Write} {
				w.Sites = append(w.Sites, launch.Site{Site: site.Site{Kind: k, What: "X", Shape: []int64{4, 16}}})
				w.Fields = append(w.Fields, WatchedField{Number: 7, First: 5, Adjoints: true})
			}
			h.Begin(w, 9)
			slots := []uint64{0, 0, 0, 0, ^uint64(0), 9}
			if c.given {
				h.Touch(1, slots)
			}
			if c.read {
				h.Touch(0, slots)
			}
			h.Drop(&Dropped{
				Number: 7, Rank: 2, Adjoints: true,
				Was:   func(int, []int) bool { return c.was },
				Is:    func(comp int, at []int) bool { return c.is || comp != 5 || at[0] != -1 || at[1] != 9 },
				Kept:  func(int, []int) bool { return true },
				Later: func(at *launch.Site) bool { return c.later && at == &w.Sites[0] },
			}, false)
			if b, _ := h.First(false); (b != nil) != c.rep || b != nil && b.NowLaunch != 9 {
				t.Errorf("the broken rule is %+v", b)
			}
		})
	}
}

// TestReadBehindDrop has a launch read what it has deactivated before, with the adjoint: no adjoint is lost.
func TestReadBehindDrop(t *testing.T) {
	h := NewHistory(1 << 20)
	launches(h, []string{"store", "read"})
	of := &Dropped{
		Number: 7, Rank: 2, Adjoints: true,
		Was: func(int, []int) bool { return true }, Is: func(int, []int) bool { return false },
		Kept: func(int, []int) bool { return false }, Later: func(*launch.Site) bool { return true },
	}
	h.Drop(of, false)
	h.EndAgain(of)
	if b, _ := h.First(false); b != nil {
		t.Errorf("the broken rule is %+v", b)
	}
}

// TestHistoryKnows looks up the access whose backward pass reloads a component, with enough memory and without.
func TestHistoryKnows(t *testing.T) {
	at := []uint64{^uint64(0), 9}
	for _, c := range []struct {
		steps  string
		room   int64
		launch int // 0 for none
	}{
		{"need read need", 1 << 20, 1},
		{"read store need", 1 << 20, 3},
		{"store clamp add", 1 << 20, 3},
		{"read store add", 1 << 20, 0},
		{"need read change", 1, 0},
		{"need store store change read drop lose read add", 1, 0},
	} {
		h := NewHistory(c.room)
		launches(h, strings.Fields(c.steps))
		by, n, s, ok := h.Known(7, 5, at)
		if ok != (c.launch > 0) || n != c.launch || ok && (by != strings.Fields(c.steps)[n-1] || s.What != "X") {
			t.Errorf("%s: %s, launch %d, %v", c.steps, by, n, ok)
		}
		if short, room := h.Short(); short != (c.room == 1) || room != c.room {
			t.Errorf("%s: short of room: %v, of %d bytes", c.steps, short, room)
		}
		if b, _ := h.First(false); b != nil && short(h) {
			t.Errorf("%s: a rule was broken of which nothing could be known: %+v", c.steps, b)
		}
	}
}

func short(h *History) bool {
	is, _ := h.Short()
	return is
}

// launches has a history take a launch for each step.
func launches(h *History, steps []string) {
	number, again := 0, false
	field := WatchedField{Number: 7, Comps: []int64{4, 2}, First: 3, Adjoints: true}
	index := []int64{-1, 9}
	gone := func(kept bool) *Dropped {
		return &Dropped{
			Number: 7, Rank: 2, Adjoints: field.Adjoints,
			Was: func(comp int, at []int) bool { return true }, Is: func(comp int, at []int) bool { return false },
			Kept:  func(comp int, at []int) bool { return kept || comp != 5 || at[0] != -1 || at[1] != 9 },
			Later: func(*launch.Site) bool { return false },
		}
	}
	for _, step := range steps {
		s := launch.Site{Site: site.Site{What: "X", Shape: []int64{4, 16}}}
		w := &Watched{Kernel: step, Sites: []launch.Site{{}, s}, Reads: true, Needed: []bool{false, step == "need" || step == "clamp"}}
		switch step {
		case "bare":
			field.Adjoints = false
			continue
		case "unknown":
			field.Unknown = true
			continue
		case "again":
			again = true
			continue
		case "change":
			h.Change(7, 5, []uint64{^uint64(0), 9})
			continue
		case "end", "stay":
			h.EndAgain(gone(step == "stay"))
			continue
		case "read", "need", "look":
			w.Sites[1].Kind = site.Read
		case "add", "count", "clamp":
			w.Sites[1].Kind = site.Update
		default:
			w.Sites[1].Kind = site.Write
		}
		if step == "const" {
			w.Sites[1].Text = append(w.Sites[1].Text, site.Piece{})
		}
		w.Reads = step != "const" && step != "count" && step != "look"
		w.Fields = []WatchedField{{}, field}
		number++
		h.Begin(w, number)
		slots := []uint64{0, 0, 1, 0, uint64(index[0]), uint64(index[1])}
		switch {
		case step == "drop" || step == "lose":
			h.Drop(gone(step == "drop"), again)
		case again:
			h.TouchAgain(1, slots)
		default:
			h.Touch(1, slots)
		}
		again = false
	}
}

// told describes a breach.
func told(b *Breach) string {
	if b == nil {
		return ""
	}
	text := fmt.Sprintf("%s %d, %s %d:", b.BeforeBy, b.BeforeLaunch, b.NowBy, b.NowLaunch)
	switch {
	case b.What != "X" || len(b.Index) != 2 || b.Index[0] != -1 || b.Index[1] != 9:
		return fmt.Sprintf("%s %s%v", text, b.What, b.Index)
	case b.Lost:
		return text + " lost"
	case b.Drop && b.Adjoint:
		return text + " dropped"
	case b.Drop:
		return text + " value dropped"
	case b.Changed:
		return text + " changed"
	case b.Adjoint:
		return text + " adjoint"
	}
	return text + " value"
}
