// Package modtest makes modules for tests that require this module as its users do, by go get from a proxy.
//
// The proxy is a folder of files: this checkout as version [Version], and the module cache's downloads of its
// requirements. So a test can follow the commands of a document without a network, and finds problems that a replace
// directive would hide: sums that go.sum lacks, and files that are not in the module.
//
// Tests: docs/start and docs/your-project make modules with it.
package modtest
