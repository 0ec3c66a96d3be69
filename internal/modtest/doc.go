// Package modtest makes modules that get this one as its users do, by go get from a proxy.
//
// The proxy is a folder of files: this checkout as version [Version], and behind it the downloads of the module cache for
// what this module requires. So a test follows the commands of a document without the network, and finds what a replace
// directive hides: sums that go.sum lacks, and files that are not in the module.
//
// Tests: docs/start and docs/your-project make modules with it.
package modtest
