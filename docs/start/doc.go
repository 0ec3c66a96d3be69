// Package start tests the commands of docs/start.md.
package start
