// Package calendar joins bookings and finds free time.
package calendar

import "sort"

// Span is a time from Start up to End, in minutes of a day.
type Span struct {
	Start, End int
}

// Merge returns the spans as few as possible, in order; spans that touch are joined, empty ones are left out.
func Merge(spans []Span) []Span {
	ordered := make([]Span, 0, len(spans))
	for _, span := range spans {
		if span.End > span.Start {
			ordered = append(ordered, span)
		}
	}
	sort.Slice(ordered, func(i, j int) bool { return ordered[i].Start < ordered[j].Start })
	var merged []Span
	for _, span := range ordered {
		last := len(merged) - 1
		if last >= 0 && span.Start <= merged[last].End {
			merged[last].End = span.End
			continue
		}
		merged = append(merged, span)
	}
	return merged
}

// Free returns what is left of a day between bookings, at least `least` minutes long.
func Free(day Span, bookings []Span, least int) []Span {
	var free []Span
	start := day.Start
	for _, span := range Merge(bookings) {
		if span.Start-start >= least {
			free = append(free, Span{start, span.Start})
		}
		if span.End > start {
			start = span.End
		}
	}
	if day.End-start >= least {
		free = append(free, Span{start, day.End})
	}
	return free
}
