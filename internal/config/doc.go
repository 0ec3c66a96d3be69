// Package config resolves the settings of a runtime.
//
// In: a [Config], as package ti has it, and the environment. Out: [Resolved], in which every setting has a valid value,
// or an error that names the setting and its valid values. A setting of the program overrides the
// environment, which overrides the default.
//
// Tests: package ti has those of settings and of the environment (TestConfigErrors, TestConfigCarriesAll), internal/variant
// those of the cache (TestCacheConfigWrong).
package config
