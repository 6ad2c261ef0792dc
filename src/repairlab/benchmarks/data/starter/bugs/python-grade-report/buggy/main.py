"""Prints the averages of a class."""

import sys

from grades import average, parse_line


def main():
    count = int(sys.stdin.readline())
    best_name, best_average = "nobody", -1.0
    for _ in range(count):
        name, marks = parse_line(sys.stdin.readline())
        mean = average(marks)
        print(f"{name}: {mean:.2f} ({len(marks)})")
        if mean > best_average:
            best_name, best_average = name, mean
    print(f"best: {best_name}")


if __name__ == "__main__":
    main()
