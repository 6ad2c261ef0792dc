package choose

import (
	"fmt"
	"testing"
)

var five = []string{"a", "b", "c", "d", "e"}

func TestPairs(t *testing.T) {
	got := fmt.Sprint(Of([]string{"a", "b", "c"}, 2))
	if got != "[[a b] [a c] [b c]]" {
		t.Errorf("got %s", got)
	}
}

func TestTeamsOfFour(t *testing.T) {
	got := fmt.Sprint(Of(five, 4))
	if got != "[[a b c d] [a b c e] [a b d e] [a c d e] [b c d e]]" {
		t.Errorf("got %s", got)
	}
}

func TestNoTeamOccursTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, team := range Of([]string{"1", "2", "3", "4", "5", "6", "7"}, 4) {
		if name := fmt.Sprint(team); seen[name] {
			t.Fatalf("%s is there twice", name)
		} else {
			seen[name] = true
		}
	}
	if len(seen) != 35 {
		t.Errorf("there are %d teams", len(seen))
	}
}

func TestOnesOwnTeams(t *testing.T) {
	if got := len(With("e", five, 4)); got != 4 {
		t.Errorf("e is in %d teams", got)
	}
}

func TestImpossibleSizes(t *testing.T) {
	if got := Of(five, 6); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := len(Of(five, 0)); got != 1 {
		t.Errorf("there are %d ways to choose nobody", got)
	}
}

func TestTrios(t *testing.T) {
	if got := len(With("a", five, 3)); got != 6 {
		t.Errorf("a is in %d teams", got)
	}
}
