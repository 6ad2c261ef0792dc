package plugin_test

import (
	"errors"
	"strings"
	"testing"

	plugin "example.com/plugin"
)

func made(text string) plugin.Maker {
	return func() string { return text }
}

func TestZeroValueIsReady(t *testing.T) {
	var r plugin.Registry
	if err := r.Add("csv", made("a")); err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Make("CSV"); got != "a" {
		t.Errorf("got %q", got)
	}
}

func TestZeroValueKnowsNothing(t *testing.T) {
	var r plugin.Registry
	if _, found := r.Make("csv"); found {
		t.Error("found what was never added")
	}
}

func TestNamesAreTaken(t *testing.T) {
	r := plugin.New(map[string]plugin.Maker{"csv": made("a")})
	if err := r.Add("Csv", made("b")); !errors.Is(err, plugin.ErrTaken) {
		t.Errorf("got %v", err)
	}
}

func TestOrderOfNames(t *testing.T) {
	r := plugin.New(map[string]plugin.Maker{"b": made("1"), "a": made("2")})
	if err := r.Add("0", made("3")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Names(), " "); got != "a b 0" {
		t.Errorf("got %q", got)
	}
}
