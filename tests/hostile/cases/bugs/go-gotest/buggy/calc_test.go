package calc

import "testing"

func TestSum(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestNegative(t *testing.T) {
	if got := Add(-1, -2); got != -3 {
		t.Fatalf("got %d", got)
	}
}

func TestName(t *testing.T) {
	if got := Name(7); got != "n7" {
		t.Errorf("got %s", got)
	}
}
