package dist

import "github.com/gotaichi/ti/internal/mpi"

// LocalWith is Local with messages that move as cfg says.
func LocalWith(n int, cfg mpi.LocalConfig, f func(w *World) error) error { return local(n, cfg, f) }

// Spoil has f overwrite memory of rows that are not valid on this rank, before each task. It concerns runtimes that are made from now on.
func (w *World) Spoil(f func(rows []byte)) { w.spoil = f }
