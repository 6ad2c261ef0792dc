"""Times of day as minutes since midnight."""


def parse_time(text):
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def format_time(minute):
    return f"{minute // 60:02}:{minute % 60:02}"
