"""Reading and averaging marks."""


def parse_line(line):
    """Split 'Ada: 1 2 3' into the name and the list of marks."""
    name, _, marks = line.partition(":")
    return name.strip(), [int(mark) for mark in marks.split()]


def average(marks):
    """Mean of all marks."""
    return sum(marks) / len(marks)
