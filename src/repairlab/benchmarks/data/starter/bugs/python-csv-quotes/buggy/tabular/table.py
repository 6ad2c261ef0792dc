"""Tables: a header and rows that are reached by column name."""

from tabular.reader import split_records
from tabular.writer import join_records


class Table:
    def __init__(self, columns, rows=()):
        self.columns = list(columns)
        self.rows = list(rows)

    def column(self, name):
        if name not in self.columns:
            raise KeyError(name)
        return [row[name] for row in self.rows]

    def to_csv(self):
        body = [[row[name] for name in self.columns] for row in self.rows]
        return join_records([self.columns, *body])


def read_table(text):
    """Read CSV text whose first record names the columns."""
    records = split_records(text)
    if not records:
        return Table([])
    header, *body = records
    table = Table(header)
    for number, record in enumerate(body, start=2):
        if len(record) != len(header):
            raise ValueError(f"record {number} has {len(record)} fields, the header has {len(header)}")
        table.rows.append(dict(zip(header, record)))
    return table
