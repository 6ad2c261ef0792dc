// Package text fits titles into columns.
package text

import (
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Truncate returns a text of at most width letters; where some are left out, the last one is an ellipsis.
func Truncate(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(text) <= width {
		return text
	}
	return strings.TrimRight(text[:width-1], " ") + ellipsis
}

// Pad returns a text with blanks behind it, width letters in all; longer ones are truncated.
func Pad(text string, width int) string {
	short := Truncate(text, width)
	missing := width - utf8.RuneCountInString(short)
	if missing <= 0 {
		return short
	}
	return short + strings.Repeat(" ", missing)
}

// Row joins cells of equal width with a bar between them.
func Row(width int, cells ...string) string {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		padded[i] = Pad(cell, width)
	}
	return strings.TrimRight(strings.Join(padded, "|"), " ")
}
