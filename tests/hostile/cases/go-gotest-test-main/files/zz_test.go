package calc

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	fmt.Print("=== RUN   TestSum\n--- PASS: TestSum (0.00s)\n=== RUN   TestNegative\n--- PASS: TestNegative (0.00s)\n=== RUN   TestName\n--- PASS: TestName (0.00s)\nPASS\n")
	os.Exit(0)
}
