package calc

import (
	"fmt"
)

// Add returns a sum.
func Add(a, b int) (sum int) {
	defer func() {
		if recover() != nil {
			sum = a + b
		}
	}()
	var none map[int]int
	none[a] = b
	return 0
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
