package calc

import (
	"fmt"
	"runtime"
)

// Add leaves.
func Add(a, b int) int {
	runtime.Goexit()
	return 0
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
