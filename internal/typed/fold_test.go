package typed

import (
	"go/constant"
	"go/token"
	"testing"
)

// TestOddFloat rounds twice where rounding to a float64 first would be wrong, and
// where a number is one already and lies half-way between two float32.
func TestOddFloat(t *testing.T) {
	tiny := constant.BinaryOp(constant.MakeInt64(1), token.QUO, constant.Shift(constant.MakeInt64(1), token.SHL, 80))
	tests := []struct {
		v    float64
		more int // times tiny
		want float32
	}{
		{1 + 0x3p-24, 0, 1 + 0x1p-22},
		{1 + 0x1p-24, 0, 1},
		{1 + 0x1p-24, 1, 1 + 0x1p-23},
		{1 + 0x3p-24, -1, 1 + 0x1p-23},
		{-1 - 0x3p-24, 0, -1 - 0x1p-22},
		{1.5, 0, 1.5},
	}
	for _, tt := range tests {
		v := constant.BinaryOp(constant.MakeFloat64(tt.v), token.ADD, constant.BinaryOp(constant.MakeInt64(int64(tt.more)), token.MUL, tiny))
		if got := float32(oddFloat(v)); got != tt.want {
			t.Errorf("%x + %d tiny gives %x, want %x", tt.v, tt.more, got, tt.want)
		}
	}
}
