"""Writes records as CSV text."""

SPECIAL = set(',"\n\r')


def quote(field):
    """Return the field as it has to stand in the file."""
    if not SPECIAL & set(field):
        return field
    return '"' + field.replace('"', '""') + '"'


def join_records(records):
    return "".join(",".join(quote(field) for field in record) + "\n" for record in records)
