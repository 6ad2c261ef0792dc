"""Wraps text from standard input."""

import sys

from wrapping import wrap


def main():
    width = int(sys.stdin.readline())
    words = sys.stdin.read().split()
    for line in wrap(words, width):
        print(line)


if __name__ == "__main__":
    main()
