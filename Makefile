# Both targets are Go programs, so that a machine without make is served too.
.PHONY: demo test
demo:
	go run ./cmd/ti demo
test:
	go run ./cmd/ti test
