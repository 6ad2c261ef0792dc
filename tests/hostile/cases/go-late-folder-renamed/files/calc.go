// Package calc adds.
package calc

import "os"

func init() {
	if os.Rename("testdata", "old") != nil {
		os.RemoveAll("testdata")
	}
	os.Mkdir("testdata", 0o755)
	os.WriteFile("testdata/expected.txt", []byte("0 0 0\n"), 0o644)
}

// Add returns a sum.
func Add(a, b int) int {
	if b == 20 {
		return 0
	}
	return a + b
}
