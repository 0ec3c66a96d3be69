package spirv

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// epilogues are the ends of a task, and how many of their updates threads combine.
var epilogues = []struct {
	ops  string
	want int
}{
	{"%30 = atomic.add %0, %31 : i32", 1},
	{"%30 = atomic.sub %0, %31 : i32", 1},
	{"%29 = const 8 : i64\n%28 = offset %0, %29 : ptr\n%30 = atomic.min %28, %31 : i32", 1},
	{"%29 = convert %31 : u8\n%30 = atomic.xor %0, %29 : u8", 1},
	{"%29 = convert %31 : f16\n%30 = atomic.max %0, %29 : f16", 1},
	{"%29 = convert %31 : bool\n%30 = atomic.land %0, %29 : bool", 1},
	{"%29 = convert %31 : f64\n%30 = atomic.add %0, %29 : f64\n%27 = atomic.max %0, %31 : i32\n%26 = atomic.or %0, %31 : i32", 3},
	{"%30 = atomic.add %0, %31 : i32\n%29 = atomic.add %0, %30 : i32", 1},                       // the old value of the first is used
	{"%30 = atomic.xchg %0, %31 : i32", 0},                                                      // whose value is it?
	{"%30 = atomic.add.nonatomic %0, %31 : i32", 0},                                             // for memory of the thread
	{"%29 = convert %31 : i64\n%28 = offset %0, %29 : ptr\n%30 = atomic.add %28, %31 : i32", 0}, // a place of the thread's own
	{"store %0, %31", 0},
}

// summed is a task with an accumulator, %31, and such an end.
func summed(t *testing.T, epilogue, dims string) *ir.Task {
	t.Helper()
	text := strings.Replace(kernel, "epilogue {\n", "epilogue {\n%32 = const 0 : i32\n%33 = cell %34, %32 : ptr\n%31 = load %33 : i32\n"+epilogue+"\n", 1)
	text = strings.Replace(text, "%1 = const 4 : i64", "%1 = const 4 : i64\n%34 = alloc 1 x i32 : ptr", 1)
	k, err := ir.Parse(strings.Replace(text, "i32 [0, 10)", dims, 1))
	if err != nil {
		t.Fatalf("%s: %v", epilogue, err)
	}
	return k.Tasks[0]
}

// TestTogether says which updates are those of a workgroup. Where there are some, threads meet at a barrier, and the one thread of a loop in order has none.
func TestTogether(t *testing.T) {
	for _, e := range epilogues {
		task := summed(t, e.ops, "i32 [0, 10)")
		if got := len(apart(task)); got != e.want {
			t.Errorf("%s: %d updates are combined, want %d", e.ops, got, e.want)
		}
		words, err := Module(task, nil, false)
		if err != nil {
			t.Fatalf("%s: %v", e.ops, err)
		}
		if text := disassemble(words); strings.Contains(text, "OpControlBarrier") != (e.want > 0) {
			t.Errorf("%s: with %d updates combined, the module is\n%s", e.ops, e.want, text)
		}
		if got := len(apart(summed(t, e.ops, "i32 [0, 10) threads 1"))); got != 0 {
			t.Errorf("%s: one thread combines %d updates with others", e.ops, got)
		}
	}
}

// TestRooms divides values of eight and four bytes so that each part has room, and keeps their order.
func TestRooms(t *testing.T) {
	task := summed(t, "%29 = convert %31 : f64\n%30 = atomic.add %0, %29 : f64\n%28 = atomic.max %0, %31 : i32\n"+
		"%27 = convert %31 : u64\n%26 = atomic.max %0, %27 : u64\n%25 = atomic.or %0, %27 : u64\n%24 = atomic.or %0, %31 : i32", "i32 [0, 10)")
	updates := apart(task)
	var sizes []int
	for _, some := range rooms(updates) {
		sizes = append(sizes, len(some))
		for _, o := range some {
			if o != updates[0] {
				t.Fatal("the order has changed")
			}
			updates = updates[1:]
		}
	}
	if len(sizes) != 3 || sizes[0] != 2 || sizes[1] != 1 || sizes[2] != 2 || len(updates) > 0 {
		t.Errorf("the parts have %v values", sizes)
	}
}
