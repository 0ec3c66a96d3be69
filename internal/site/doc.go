// Package site names the places in a source at which a launch can fail, or hands something to the host.
//
// In: what passes have put into a kernel that reports to the host. Out: sites, which descriptors keep, and the words of a
// failure that happened at one of them.
//
// Tests: internal/launch writes and reads sites (TestEveryField), internal/record has what is told at them, package ti and
// internal/runtest/program the words of failures.
package site
