package calc

import (
	"fmt"
)

// Add panics.
func Add(a, b int) int {
	panic(nil)
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
