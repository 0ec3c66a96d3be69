package sparse

import "testing"

// TestDifference words how two trees differ, of which one is described by anything.
func TestDifference(t *testing.T) {
	const root = "block 0 of 64 bytes\ndense [] [] cell 128 morton false at 0:0 []\n"
	const ring = root + " pointer [0 1] [3 5] cell 56 morton false at 1:0 []\n  dense [1 0] [7 2] cell 4 morton true at 1:0 [{0 7 1 8}]\n"
	const lists = root + " hash [0] [4294967296] cell 8 morton false at 1:0 []\n  dynamic [1] [100] cell 4 morton false at 2:0 []\n dense [0] [7] cell 4 morton false at 0:0 []\n"
	const packed = ring + "field of 4\n 0: form int(3) in bits\n"
	for _, c := range []struct{ saved, mine, want string }{
		{ring, lists, "it has pointer(ij,3,5).dense(ji,7,2).morton(), and this tree has {hash(i).dynamic(j,100); dense(i,7)}"},
		{root, ring, "it has no nodes, and this tree has pointer(ij,3,5).dense(ji,7,2).morton()"},
		{"", ring, "it has no nodes, and this tree has pointer(ij,3,5).dense(ji,7,2).morton()"},
		{ring + "field of 1\n", ring, "its nodes are the same, but its fields have other types, places or lowest indices"},
		{packed + " 1: form int(5) in\n", packed + " 1: form int(6) in\n", "component 1 of a field has form int(5) in there, and form int(6) in in this tree"},
		{packed + " 1: form int(5)\n", packed, "component 1 of a field has form int(5) there, and no form in this tree"},
		{packed, packed + " 3: form int(5)\n", "component 3 of a field has no form there, and form int(5) in this tree"},
		{packed + " 99999999999: form int(5)\n", packed, "its nodes are the same, but its fields have other types, places or lowest indices"},
		{root + "   pointer [0] [3] cell 56 morton false at 1:0 []\n", lists, "it has no nodes, and this tree has {hash(i).dynamic(j,100); dense(i,7)}"},
	} {
		if got := difference(c.saved, c.mine, nil); got != c.want {
			t.Errorf("%s", got)
		}
	}
}
