package calc

import (
	"fmt"
)

// Add returns a sum.
func Add(a, b int) int {
	return total(a, b)
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
