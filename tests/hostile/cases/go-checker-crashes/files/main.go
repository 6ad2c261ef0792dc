package main

import "fmt"

func main() {
	fmt.Println(3, 0, "x")
}
