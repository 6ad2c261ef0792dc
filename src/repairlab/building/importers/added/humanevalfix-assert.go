// Package assert has what the tasks use of testify.
package assert

import (
	"reflect"
	"testing"
)

// Assertions belong to a test.
type Assertions struct{ t *testing.T }

// New returns the assertions of a test.
func New(t *testing.T) *Assertions { return &Assertions{t} }

// Equal fails the test unless both values are the same.
func (a *Assertions) Equal(expected, actual interface{}, _ ...interface{}) bool {
	a.t.Helper()
	if !reflect.DeepEqual(expected, actual) {
		a.t.Errorf("expected %#v, got %#v", expected, actual)
		return false
	}
	return true
}
