package calc

func total[T int | float64](values ...T) T {
	var sum T
	for _, value := range values {
		sum += value
	}
	return sum
}
