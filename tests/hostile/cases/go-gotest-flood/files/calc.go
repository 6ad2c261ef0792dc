package calc

import (
	"fmt"
	"strings"
)

// Add prints.
func Add(a, b int) int {
	for {
		fmt.Println(strings.Repeat("x", 65536))
	}
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
