package a

func first(n int) int {
	return n +
}

func second(n int) int { return n }
