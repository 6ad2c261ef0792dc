package pool

import (
	"reflect"
	"testing"
)

func square(n int) int { return n * n }

func TestResultsKeepTheirOrder(t *testing.T) {
	got := Map([]int{1, 2, 3, 4, 5}, 3, square)
	if want := []int{1, 4, 9, 16, 25}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOneWorkerIsEnough(t *testing.T) {
	if got := Map([]int{7}, 0, square); len(got) != 1 || got[0] != 49 {
		t.Errorf("got %v", got)
	}
}

func TestNoInput(t *testing.T) {
	if got := Map(nil, 4, square); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestSum(t *testing.T) {
	if got := Sum([]int{1, 2, 3}, square); got != 14 {
		t.Errorf("got %d", got)
	}
}
