package calc

import (
	"fmt"
	"os"
	"testing"
)

func TestTable(t *testing.T) {
	wanted, err := os.ReadFile("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(Add(0, 20), Add(1, 20), Add(2, 20))
	if got != string(wanted) {
		t.Errorf("got %s", got)
	}
}

func TestSum(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}
