# The targets are Go programs, so that a machine without make is served too.
# Without cgo as they build the examples, so that packages are not compiled once with it and once without.
export CGO_ENABLED := 0

.PHONY: demo test lint bench
demo:
	go run ./cmd/ti demo
test:
	go run ./cmd/ti test
lint:
	go run ./cmd/ti test -lint

# Beside the peers, which it installs: some ten minutes. It writes docs/benchmarks.md.
PEERS = taichi quadrants numba warp jax limits handc
comma = ,
bench:
	bench/peers/install $(PEERS)
	go run ./bench -docs docs -beside $(subst $(eval ) ,$(comma),$(PEERS))
	go run ./bench -docs docs -scaling
