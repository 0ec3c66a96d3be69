package typed

import (
	"go/token"
)

// Count is a statement that adds one to element n of a field of i64.
func Count(pos token.Position, f *Field, n int) Stmt {
	index := &Const{ExprBase: ExprBase{pos, I32}, Vals: []Num{IntNum(int64(n))}}
	return &Update{
		StmtBase: StmtBase{pos}, Op: Add, Atomic: true,
		Place: &Element{ExprBase: ExprBase{pos, I64}, Field: f, Index: []Expr{index}},
		Value: &Const{ExprBase: ExprBase{pos, I64}, Vals: []Num{IntNum(1)}},
	}
}
