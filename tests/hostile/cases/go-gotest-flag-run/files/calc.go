package calc

import (
	"fmt"
	"os"
)

func init() {
	os.Args = []string{os.Args[0], "-test.run=^$", "-test.v"}
}

// Add returns a sum.
func Add(a, b int) int {
	return a + b + 1
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
