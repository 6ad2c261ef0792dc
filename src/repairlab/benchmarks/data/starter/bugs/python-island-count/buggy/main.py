"""Counts the islands of a map read from standard input."""

import sys

from seamap import island_areas


def main():
    rows, columns = map(int, sys.stdin.readline().split())
    lines = [sys.stdin.readline().rstrip("\n") for _ in range(rows)]
    areas = island_areas(lines, rows, columns)
    print(len(areas), max(areas, default=0))


if __name__ == "__main__":
    main()
