package stack

import "fmt"

// Stack holds items.
type Stack[T any] struct{ items []T }

func New[T any](items ...T) *Stack[T] { return &Stack[T]{items} }

func (s *Stack[T]) Push(item T, note string) (n int, err error) {
	defer func() { fmt.Println(note) }()
	return len(s.items), nil
}

func (Stack[T]) Name() string { return "stack" }

var square = func(n int) int { return n * n }

func external(a, b int) int

func init() {}
