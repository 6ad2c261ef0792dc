// Package plugin keeps things by name.
package plugin

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// ErrTaken says that a name is in use.
var ErrTaken = errors.New("name is taken")

// Maker makes what a plugin is for.
type Maker func() string

// Registry finds makers by name, whatever its case. The zero value is ready for use.
type Registry struct {
	makers map[string]Maker
	order  []string
}

// New returns a registry with some makers.
func New(makers map[string]Maker) *Registry {
	r := &Registry{makers: map[string]Maker{}}
	names := make([]string, 0, len(makers))
	for name := range makers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := r.Add(name, makers[name]); err != nil {
			panic(err)
		}
	}
	return r
}

// Add enters a maker under a name that is not in use.
func (r *Registry) Add(name string, maker Maker) error {
	key := strings.ToLower(name)
	if _, taken := r.makers[key]; taken {
		return fmt.Errorf("%q: %w", name, ErrTaken)
	}
	r.makers[key] = maker
	r.order = append(r.order, name)
	return nil
}

// Make calls the maker of a name.
func (r *Registry) Make(name string) (string, bool) {
	maker, found := r.makers[strings.ToLower(name)]
	if !found {
		return "", false
	}
	return maker(), true
}

// Names returns all names in the order in which they were added.
func (r *Registry) Names() []string {
	return append([]string(nil), r.order...)
}
