package main

import (
	"bufio"
	"fmt"
	"os"
)

type place struct{ row, column int }

var moves = []place{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}

func main() {
	reader := bufio.NewReader(os.Stdin)
	var rows, columns int
	fmt.Fscan(reader, &rows, &columns)
	grid := make([]string, rows)
	for i := range grid {
		fmt.Fscan(reader, &grid[i])
	}
	start, end := find(grid, 'S'), find(grid, 'E')
	if steps := shortest(grid, columns, start, end); steps >= 0 {
		fmt.Println(steps)
	} else {
		fmt.Println("none")
	}
}

func find(grid []string, letter rune) place {
	for row, line := range grid {
		for column, c := range line {
			if c == letter {
				return place{row, column}
			}
		}
	}
	return place{-1, -1}
}

// shortest returns the number of steps from start to end, or -1.
func shortest(grid []string, columns int, start, end place) int {
	distance := map[place]int{start: 0}
	queue := []place{start}
	for len(queue) > 0 {
		here := queue[0]
		queue = queue[1:]
		if here == end {
			return distance[here]
		}
		for _, move := range moves {
			next := place{here.row + move.row, here.column + move.column}
			if next.row < 0 || next.row >= columns || next.column < 0 || next.column >= len(grid) {
				continue
			}
			if _, seen := distance[next]; seen || grid[next.row][next.column] == '#' {
				continue
			}
			distance[next] = distance[here] + 1
			queue = append(queue, next)
		}
	}
	return -1
}
