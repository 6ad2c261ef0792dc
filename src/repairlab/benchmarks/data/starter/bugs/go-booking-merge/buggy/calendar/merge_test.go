package calendar

import (
	"reflect"
	"testing"
)

func check(t *testing.T, got, want []Span) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSeparateSpansStay(t *testing.T) {
	check(t, Merge([]Span{{30, 40}, {10, 20}}), []Span{{10, 20}, {30, 40}})
}

func TestOverlap(t *testing.T) {
	check(t, Merge([]Span{{10, 20}, {15, 30}, {30, 35}}), []Span{{10, 35}})
}

func TestSpanWithinAnother(t *testing.T) {
	check(t, Merge([]Span{{540, 1020}, {600, 660}}), []Span{{540, 1020}})
}

func TestFreeTimeAroundNestedBookings(t *testing.T) {
	check(t, Free(Span{480, 1080}, []Span{{540, 1020}, {600, 660}}, 30), []Span{{480, 540}, {1020, 1080}})
}

func TestEmptySpansAreLeftOut(t *testing.T) {
	check(t, Merge([]Span{{5, 5}, {7, 6}}), nil)
}

func TestShortGapsAreNotOffered(t *testing.T) {
	check(t, Free(Span{0, 100}, []Span{{10, 50}, {55, 90}}, 10), []Span{{0, 10}, {90, 100}})
}
