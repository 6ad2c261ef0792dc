package calc

import (
	"fmt"
)

func Add(a, b int) int {
	return a + c
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
