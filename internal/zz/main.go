package main

import (
	"fmt"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
)

const src = `
package heat

var T, Next field[f32]

func Start() {
	for i, j := range T {
		T[i][j] = random()
	}
}

func Step(k f32) {
	n := T.shape[0]
	m := T.shape[1]
	for i, j := range Next {
		c := T[i][j]
		if i > 0 && i < n-1 && j > 0 && j < m-1 {
			c += k * (T[i-1][j] + T[i+1][j] + T[i][j-1] + T[i][j+1] - 4*c)
		}
		Next[i][j] = c
	}
}

func Back(k f32) {
	n := T.shape[0]
	m := T.shape[1]
	for i, j := range T {
		c := Next[i][j]
		if i > 0 && i < n-1 && j > 0 && j < m-1 {
			c += k * (Next[i-1][j] + Next[i+1][j] + Next[i][j-1] + Next[i][j+1] - 4*c)
		}
		T[i][j] = c
	}
}

func Sum() f32 {
	s := 0.0
	for i, j := range T {
		s += T[i][j]
	}
	return s
}
`

type host struct {
	T, Next    ti.Field[float32]
	Start      func()
	Step, Back func(k float32)
	Sum        func() float32
}

func main() {
	dist.Main(func(w *dist.World) error {
		rt, err := w.New(ti.Config{})
		if err != nil {
			return err
		}
		defer rt.Close()
		const n = 2048
		g := w.Grid(ti.IJ, n)
		var h host
		g.Divide(rt.NewTree()).Dense(ti.IJ, n).Place(&h.T)
		g.Divide(rt.NewTree()).Dense(ti.IJ, n).Place(&h.Next)
		if err := rt.Load(src, &h); err != nil {
			return err
		}
		h.Start()
		for range 20 {
			h.Step(0.1)
			h.Back(0.1)
		}
		start := time.Now()
		for range 200 {
			h.Step(0.1)
			h.Back(0.1)
		}
		t := time.Since(start)
		s := h.Sum()
		if w.Rank() == 0 {
			fmt.Println(w.Size(), w.Library(), "ms a step", t.Seconds()*1000/400, "sum", s, rt.Device().Threads, w.Stats())
		}
		return nil
	})
}
