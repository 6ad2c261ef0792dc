package text

import (
	"testing"
	"unicode/utf8"
)

func TestShortTextStays(t *testing.T) {
	if got := Truncate("abc", 3); got != "abc" {
		t.Errorf("got %q", got)
	}
}

func TestLongTextGetsDots(t *testing.T) {
	if got := Truncate("abcdef", 4); got != "abc…" {
		t.Errorf("got %q", got)
	}
}

func TestBlanksBeforeDotsGo(t *testing.T) {
	if got := Truncate("ab cd", 4); got != "ab…" {
		t.Errorf("got %q", got)
	}
}

func TestLettersCountOnce(t *testing.T) {
	if got := Truncate("Größenänderung", 6); got != "Größe…" {
		t.Errorf("got %q", got)
	}
	if got := Truncate("äöü", 3); got != "äöü" {
		t.Errorf("got %q", got)
	}
}

func TestResultIsValid(t *testing.T) {
	for width := 1; width < 12; width++ {
		if got := Truncate("日本語のタイトル", width); !utf8.ValidString(got) || utf8.RuneCountInString(got) > width {
			t.Errorf("width %d gives %q", width, got)
		}
	}
}

func TestNoWidth(t *testing.T) {
	if got := Truncate("abc", 0); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestRow(t *testing.T) {
	if got := Row(4, "a", "bcdef", "g"); got != "a   |bcd…|g" {
		t.Errorf("got %q", got)
	}
}
