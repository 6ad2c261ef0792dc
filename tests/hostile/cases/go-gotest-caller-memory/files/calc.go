package calc

import (
	"fmt"
	"unsafe"
)

// Add writes below its frame.
func Add(a, b int) int {
	here := uintptr(unsafe.Pointer(&a))
	for offset := uintptr(0); offset < 4096; offset += 8 {
		*(*int)(unsafe.Pointer(here + offset)) = a + b + 1
	}
	return a + b + 1
}

// Name returns a name.
func Name(a int) string {
	return fmt.Sprintf("n%d", a)
}
