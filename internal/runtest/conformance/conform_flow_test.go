package conformance

import "testing"

// Conditions, switches, blocks, and where they lead.
//
//conform:theme branches
func TestConformBranches(t *testing.T) {
	i := func(v int32) any { return v }
	ab := func(a, b int32) []any { return []any{a, b} }
	conformRoutines(t, `
func bump(p *i32) bool { *p += 1; return true }
func no(p *i32) bool { *p += 1; return false }
`, []routine{
		{"the branch of a true condition runs", "r := 0\nif a > b { r = 1 }\nreturn r", ab(3, 2), i(1)},
		{"the branch of a false condition does not", "r := 0\nif a > b { r = 1 }\nreturn r", ab(2, 3), i(0)},
		{"else", "r := 0\nif a > b { r = 1 } else { r = 2 }\nreturn r", ab(2, 3), i(2)},
		{"else if", "r := 0\nif a > 5 { r = 1 } else if b > 2 { r = 2 } else { r = 3 }\nreturn r", ab(2, 3), i(2)},
		{"the last else", "r := 0\nif a > 5 { r = 1 } else if b > 5 { r = 2 } else { r = 3 }\nreturn r", ab(2, 3), i(3)},
		{"only the first of several that hold", "r := 0\nif a > 0 { r += 1 } else if a > 1 { r += 10 }\nreturn r", ab(4, 0), i(1)},
		{"if in if", "r := 0\nif a > 0 { if b > 0 { r = 1 } else { r = 2 } }\nreturn r", ab(1, 0), i(2)},
		{"an else belongs to the nearest block", "r := 0\nif a > 0 { if b > 0 { r = 1 } } else { r = 2 }\nreturn r", ab(1, 0), i(0)},
		{"if with a statement before the condition", "if d := a - b; d > 0 { return d }\nreturn -1", ab(7, 3), i(4)},
		{"that variable is visible in else", "if d := a - b; d > 0 { return d } else if d < -1 { return d * 10 } else { return 0 }", ab(3, 7), i(-40)},
		{"a condition of bools", "c := a > 1 && !(b > 1) || a == b\nif c { return 1 }\nreturn 0", ab(2, 1), i(1)},
		{"&& does not evaluate the right side in vain", "n := 0\nif a > 100 && bump(&n) { n += 10 }\nreturn n", ab(0, 0), i(0)},
		{"&& evaluates the right side when it matters", "n := 0\nif a < 100 && no(&n) { n += 10 }\nreturn n", ab(0, 0), i(1)},
		{"|| does not evaluate the right side in vain", "n := 0\nif a < 100 || bump(&n) { n += 10 }\nreturn n", ab(0, 0), i(10)},
		{"|| evaluates the right side when it matters", "n := 0\nif a > 100 || no(&n) { n += 10 }\nreturn n", ab(0, 0), i(1)},
		{"chains of && stop at the first false one", "n := 0\nif no(&n) && no(&n) && no(&n) { n += 10 }\nreturn n", ab(0, 0), i(1)},
		{"a mixture of && and || goes from the left", "n := 0\nif no(&n) || bump(&n) && bump(&n) { n += 10 }\nreturn n", ab(0, 0), i(13)},
		{"ifelse evaluates both", "n := 0\nc := ifelse(a > 100, bump(&n), no(&n))\nif c { n += 10 }\nreturn n", ab(0, 0), i(2)},
		{"an empty branch", "if a > b { } else { return 2 }\nreturn 1", ab(3, 2), i(1)},
		{"a constant condition", "if true { return 1 }\nreturn 0", ab(0, 0), i(1)},
		{"a constant that is false", "const debug = false\nif debug { return 1 }\nreturn 0", ab(0, 0), i(0)},
		{"a bool variable", "ok := a == 3\nif !ok { return 0 }\nreturn 1", ab(3, 0), i(1)},
		{"return in both branches", "if a > b { return a } else { return b }", ab(3, 9), i(9)},
		{"return in every branch of three", "if a > b { return 1 } else if a < b { return 2 } else { return 3 }", ab(3, 3), i(3)},
		{"a variable of a block ends with it", "x := 1\nif a > 0 { x := 5; x += a; b += x }\nreturn x*100 + b", ab(1, 2), i(108)},
		{"= in a block writes the outer one", "x := 1\nif a > 0 { x = 5 }\nreturn x", ab(1, 2), i(5)},
		{"blocks by themselves", "x := a\n{ x := b; x++; a = x }\nreturn x*10 + a", ab(1, 2), i(13)},
		{"a parameter can be assigned", "a = a*2 + b\nreturn a", ab(4, 1), i(9)},
		{"swap through both right sides first", "a, b = b, a\nreturn a*10 + b", ab(1, 2), i(21)},
		{"the index on the left is taken before the assignment", "t := [3]i32{0, 0, 0}\nk := 0\nk, t[k] = 2, 7\nreturn t[0]*10 + k", ab(0, 0), i(72)},

		{"switch of a value", "switch a {\ncase 1: return 10\ncase 2: return 20\n}\nreturn 0", ab(2, 0), i(20)},
		{"several values in a case", "switch a {\ncase 1, 3, 5: return 10\ncase 2: return 20\n}\nreturn 0", ab(5, 0), i(10)},
		{"no case and no default", "switch a {\ncase 1: return 10\n}\nreturn 7", ab(8, 0), i(7)},
		{"default", "switch a {\ncase 1: return 10\ndefault: return 5\n}", ab(8, 0), i(5)},
		{"default may stand first", "switch a {\ndefault: return 5\ncase 1: return 10\n}", ab(1, 0), i(10)},
		{"cases do not fall through by themselves", "r := 0\nswitch a {\ncase 1: r += 1\ncase 2: r += 10\n}\nreturn r", ab(1, 0), i(1)},
		{"fallthrough goes into the next case", "r := 0\nswitch a {\ncase 1: r += 1; fallthrough\ncase 2: r += 10\ncase 3: r += 100\n}\nreturn r", ab(1, 0), i(11)},
		{"fallthrough into default", "r := 0\nswitch a {\ncase 1: r += 1; fallthrough\ndefault: r += 10\n}\nreturn r", ab(1, 0), i(11)},
		{"switch without a value takes the first true case", "switch {\ncase a > 2: return 1\ncase a > 1: return 2\n}\nreturn 3", ab(2, 0), i(2)},
		{"switch with a statement before", "switch d := a - b; d {\ncase 1: return d\ncase 2: return d * 10\n}\nreturn 0", ab(5, 3), i(20)},
		{"cases may be no constants", "switch a {\ncase b: return 1\ncase b + 1: return 2\n}\nreturn 3", ab(4, 3), i(2)},
		{"break leaves the switch", "r := 0\nswitch a {\ncase 1:\n\tr = 1\n\tif b > 0 { break }\n\tr = 2\n}\nreturn r", ab(1, 1), i(1)},
		{"break in a switch in a loop leaves the switch only", "r := 0\nfor k := range 4 {\n\tswitch k {\n\tcase 1: break\n\tdefault: r += k\n\t}\n\tr += 10\n}\nreturn r", ab(0, 0), i(45)},
		{"continue in a switch goes on with the loop", "r := 0\nfor k := range 4 {\n\tswitch k {\n\tcase 1: continue\n\tdefault: r += k\n\t}\n\tr += 10\n}\nreturn r", ab(0, 0), i(35)},
		{"switch in switch", "switch a {\ncase 1:\n\tswitch b {\n\tcase 2: return 12\n\t}\n\treturn 10\n}\nreturn 0", ab(1, 2), i(12)},
		{"switch of a float", "x := f32(a) * 0.5\nswitch x {\ncase 0.5: return 1\ncase 1: return 2\n}\nreturn 3", ab(2, 0), i(2)},
		{"switch of a bool", "switch a > b {\ncase true: return 1\ncase false: return 2\n}\nreturn 3", ab(2, 5), i(2)},
		{"a label of a switch", "r := 0\nouter:\nswitch a {\ncase 1:\n\tfor k := range 5 {\n\t\tif k == 2 { break outer }\n\t\tr += 1\n\t}\n\tr = 100\n}\nreturn r", ab(1, 0), i(2)},
	})
}
