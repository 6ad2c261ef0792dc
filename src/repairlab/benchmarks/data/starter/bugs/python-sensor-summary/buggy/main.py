"""Summary of a simulated temperature sensor."""

import sys

from sensor import readings


def summarise(series, limit):
    """Return lowest and highest value, number of alarms and minute of the first alarm."""
    lowest = highest = first_alarm = None
    alarms = 0
    for reading in series:
        value = reading["value"]
        if lowest is None or value < lowest:
            lowest = value
        if highest is None or value > highest:
            highest = value
        if value > limit:
            alarms += 1
            if first_alarm is None:
                first_alarm = reading["minute"]
    return lowest, highest, alarms, first_alarm


def main():
    seed, count, limit = map(int, sys.stdin.readline().split())
    series = list(readings(seed, count))
    lowest, highest, alarms, first_alarm = summarise(series, limit)
    if lowest is None:
        print("no readings")
        return
    print(f"lowest {lowest}")
    print(f"highest {highest}")
    print(f"alarms {alarms}")
    print(f"first {'never' if first_alarm is None else first_alarm}")


if __name__ == "__main__":
    main()
