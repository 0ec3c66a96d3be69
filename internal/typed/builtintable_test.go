package typed

import "testing"

// Each builtin has a row in the table, with a name of its own.
func TestFnTable(t *testing.T) {
	before := Fn(NoFn)
	named := map[string]Fn{}
	for _, f := range Fns() {
		if f.String() == "" {
			t.Fatalf("the builtin that follows %s has no row", before)
		}
		if twin, twice := named[f.String()]; twice {
			t.Errorf("%s is the name of two builtins, %d and %d", f, twin, f)
		}
		named[f.String()], before = f, f
	}
}

// Each operator and each scalar type has a name.
func TestNames(t *testing.T) {
	for op := range opNames {
		if opNames[op] == "" {
			t.Errorf("the operator that follows %s has no name", opNames[op-1])
		}
	}
	if n := len(opNames); n != int(numOps) {
		t.Errorf("%d operators have names, of %d", n, numOps)
	}
	for _, s := range Scalars() {
		if s.String() == "" || s.Bits() == 0 {
			t.Errorf("the scalar type %q has %d bits", s, s.Bits())
		}
	}
}
