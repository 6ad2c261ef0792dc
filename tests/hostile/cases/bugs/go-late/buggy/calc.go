// Package calc adds.
package calc

// Add returns a sum.
func Add(a, b int) int {
	return a + b + 1
}
