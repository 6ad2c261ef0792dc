// Package pool applies functions with several workers.
package pool

import "sync"

type job struct {
	index int
	input int
}

// Map applies a function to all inputs with some workers and returns the results in the order of the inputs.
func Map(inputs []int, workers int, apply func(int) int) []int {
	if workers < 1 {
		workers = 1
	}
	results := make([]int, len(inputs))
	jobs := make(chan job)
	var wait sync.WaitGroup
	for w := 0; w < workers; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for one := range jobs {
				results[one.index] = apply(one.input)
			}
		}()
	}
	for index, input := range inputs {
		jobs <- job{index, input}
	}
	wait.Wait()
	return results
}

// Sum adds the results of a function over all inputs, the usual way.
func Sum(inputs []int, apply func(int) int) int {
	total := 0
	for _, input := range inputs {
		total += apply(input)
	}
	return total
}
