// Package calc adds.
package calc

import "fmt"

// Add returns a sum.
func Add(a, b int) int {
	return a + b + 1
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
