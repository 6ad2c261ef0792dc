package main

import (
	"fmt"
	"strconv"
)

// parse reads the kind of a line and its amount.
func parse(fields []string) (string, int, error) {
	if len(fields) != 2 {
		return "", 0, fmt.Errorf("%d fields instead of 2", len(fields))
	}
	amount, err := strconv.Atoi(fields[1])
	if err != nil || amount < 0 {
		return "", 0, fmt.Errorf("%q is no amount", fields[1])
	}
	switch fields[0] {
	case "deposit", "withdraw", "fee":
		return fields[0], amount, nil
	}
	return "", 0, fmt.Errorf("unknown word %q", fields[0])
}
