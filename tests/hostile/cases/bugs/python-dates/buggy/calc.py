def day(year, month, number):
    return f"{year}-{month}-{number}"


def mark(number):
    return "?" if number else "-"
