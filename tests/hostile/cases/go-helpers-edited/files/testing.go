package calc

// Reporter is what tests report to.
type Reporter interface {
	Fatalf(format string, args ...any)
}

// Same fails unless both are equal.
func Same(t Reporter, one, other any) {
	if one == nil {
		t.Fatalf("%v is not %v", one, other)
	}
}
