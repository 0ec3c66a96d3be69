package trace

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// TestWrite: what is written is JSON, whatever names are made of.
func TestWrite(t *testing.T) {
	names := "a \"b\"\\ \n\t\x01 é \xff"
	tasks := []*launch.TaskRecord{{Kernel: "K", Name: launch.Name{Task: names, Place: launch.Place{File: names, Line: 3, Column: 4}}}}
	tasks[0].Chunks = []launch.Chunk{{Thread: 1, Begin: 2, End: 7, Start: 1500 * time.Nanosecond, Length: time.Millisecond}}
	var b strings.Builder
	if err := Write(&b, tasks); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Ts, Dur       float64
			TID           int
			Args          map[string]any
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	clean := strings.ToValidUTF8(names, "\ufffd")
	e := got.TraceEvents[0]
	if e.Name != "K: "+clean || e.Cat != "K" || e.Ph != "X" || e.Ts != 1.5 || e.Dur != 1000 || e.TID != 1 || e.Args["iterations"] != 5.0 || e.Args["source"] != clean+":3:4" {
		t.Errorf("%+v", e)
	}
	if len(got.TraceEvents) != 3 || got.TraceEvents[2].Args["name"] != "worker" {
		t.Errorf("%+v", got.TraceEvents)
	}
}
