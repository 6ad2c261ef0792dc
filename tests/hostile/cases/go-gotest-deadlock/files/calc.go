package calc

import (
	"fmt"
)

// Add waits.
func Add(a, b int) int {
	select {}
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
