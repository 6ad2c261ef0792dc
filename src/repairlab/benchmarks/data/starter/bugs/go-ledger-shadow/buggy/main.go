// Command ledger keeps a balance.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	balance, line := 0, 0
	for scanner.Scan() {
		line++
		fields := strings.Fields(scanner.Text())
		if len(fields) == 0 {
			continue
		}
		kind, amount, err := parse(fields)
		if err != nil {
			fmt.Printf("line %d: %v\n", line, err)
			continue
		}
		switch kind {
		case "deposit":
			balance += amount
		case "withdraw":
			if amount > balance {
				fmt.Printf("line %d: only %d left\n", line, balance)
				continue
			}
			balance -= amount
		case "fee":
			balance := balance - balance*amount/100
			fmt.Println(balance)
			continue
		}
		fmt.Println(balance)
	}
}
