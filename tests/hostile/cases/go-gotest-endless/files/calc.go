package calc

import (
	"fmt"
)

// Add loops.
func Add(a, b int) int {
	for {
		a++
	}
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
