"""Prints the departures of a bus line."""

import sys

from clock import format_time, parse_time


def departures(first, closing, interval):
    """Yield the minutes at which a bus leaves."""
    minute = first
    while minute != closing:
        yield minute
        minute += interval


def main():
    first, closing, interval = sys.stdin.readline().split()
    count = 0
    for minute in departures(parse_time(first), parse_time(closing), int(interval)):
        print(format_time(minute))
        count += 1
    print(f"{count} departures")


if __name__ == "__main__":
    main()
