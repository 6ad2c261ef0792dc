package calc

import "testing"

func TestSum(t *testing.T) {
	want := 3
	got := Add(1, 2)
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestNegative(t *testing.T) {
	const want = -3
	if got := Add(-1, -2); got != want {
		t.Fatalf("got %d, want %d", got, want)
	}
}

func TestName(t *testing.T) {
	if got := Name(7); got != "n7" {
		t.Errorf("got %s", got)
	}
}
