"""Splits CSV text into records."""


def split_records(text):
    """Return the records of a CSV text, each a list of fields."""
    records = []
    fields = []
    field = []
    quoted = False
    for char in text:
        if char == '"':
            quoted = not quoted
        elif quoted:
            field.append(char)
        elif char == ",":
            fields.append("".join(field))
            field = []
        elif char == "\n":
            fields.append("".join(field))
            records.append(fields)
            fields = []
            field = []
        elif char != "\r":
            field.append(char)
    if quoted:
        raise ValueError("unterminated quotes")
    if field or fields:
        fields.append("".join(field))
        records.append(fields)
    return records
