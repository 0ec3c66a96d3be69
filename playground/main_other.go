//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "playground: this program is for web pages; write them with: ti site OUT")
	os.Exit(2)
}
