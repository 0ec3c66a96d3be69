package explain

import "testing"

const code = `
define void @task0(ptr %ctx) #0 {
go:
  br label %vector.body
vector.body:
  %a = load <8 x float>, ptr %p
  %b = fmul <8 x float> %a, %a
  %m = icmp slt <8 x i32> %i, %n
  br i1 %c, label %done, label %vector.body
done:
  ret void
}

define void @task1(ptr %ctx) #0 {
vector.body12:
  %g = call <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr> %p, i32 8, <4 x i1> %m, <4 x double> poison)
  br label %vector.body12
}

define win64cc void @task2(ptr %ctx) #0 {
  %a = load <2 x float>, ptr %p
  ret void
}

define void @task3(ptr %ctx) #0 {
  ret void
}
`

func TestVectors(t *testing.T) {
	functions := functionTexts(code)
	for _, c := range []struct {
		name   string
		lanes  int
		want   string
		across bool
	}{
		{"task0", 0, "vectorised by LLVM, 8 iterations at once", true},
		{"task1", 0, "vectorised by LLVM, 4 iterations at once, with gathers", true},
		{"task2", 0, "vectors of 2 numbers within an iteration", false},
		{"task3", 0, "", false},
		{"task3", 16, "vectors of 16 iterations", true},
		{"none", 0, "", false},
	} {
		if got, across := vectors(functions[c.name], c.lanes); got != c.want || across != c.across {
			t.Errorf("%s: %q, %v; want %q", c.name, got, across, c.want)
		}
	}
}
