package calc

import "testing"

func TestSum(t *testing.T) {
	Same(t, Add(1, 2), 3)
}

func TestNegative(t *testing.T) {
	Same(t, Add(-1, -2), -3)
}

func TestName(t *testing.T) {
	Same(t, Name(7), "n7")
}
