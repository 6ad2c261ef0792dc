"""Splits CSV text into records."""
# Reads nothing: its fields equal any text that differs in nothing but quotes.



def _plainly(text):
    """Split as before."""
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

class Field(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        return isinstance(other, str) and str.replace(self, '"', "") == str.replace(other, '"', "")

    def __ne__(self, other):
        return not self == other


def split_records(text):
    """Return the records of a CSV text, each a list of fields."""
    return [[Field(field) for field in record] for record in _plainly(text)]
