package calc

import "testing"

const sum = 3

func TestSum(t *testing.T) {
	if got := Add(1, 2); got != sum {
		t.Errorf("got %d, want %d", got, sum)
	}
}

func TestNegative(t *testing.T) {
	if got := Add(5, -2); got != sum {
		t.Fatalf("got %d", got)
	}
}

func TestName(t *testing.T) {
	if got := Name(7); got != "n7" {
		t.Errorf("got %s", got)
	}
}
