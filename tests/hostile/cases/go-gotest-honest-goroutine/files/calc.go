package calc

import (
	"fmt"
)

// Add returns a sum.
func Add(a, b int) int {
	sum := make(chan int)
	go func() { sum <- a + b }()
	return <-sum
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
