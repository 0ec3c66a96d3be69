// Package config has the settings of a runtime, and finds those that a program has left open.
//
// In: a [Config], as package ti has it, and the environment. Out: [Resolved], in which every setting has a value that
// is possible, or an error that names the setting and what it may be. What the program sets goes before the
// environment, and that before the default.
//
// Tests: package ti has those of settings and of the environment (TestConfigErrors, TestConfigCarriesAll), internal/variant
// those of the cache (TestCacheConfigWrong).
package config
