// Package calc adds.
package calc

import "os"

func init() {
	os.WriteFile("testdata/actual.txt", []byte("20 21 22\n"), 0o644)
}

// Add returns a sum.
func Add(a, b int) int {
	return a + b
}
