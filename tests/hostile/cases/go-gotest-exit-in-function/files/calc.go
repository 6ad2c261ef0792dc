package calc

import (
	"fmt"
	"os"
)

// Add leaves.
func Add(a, b int) int {
	os.Exit(0)
	return 0
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
