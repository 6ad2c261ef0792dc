package calc

import (
	"fmt"
)

var kept [][]byte

// Add keeps.
func Add(a, b int) int {
	for {
		one := make([]byte, 1<<20)
		for i := range one {
			one[i] = byte(a)
		}
		kept = append(kept, one)
	}
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
