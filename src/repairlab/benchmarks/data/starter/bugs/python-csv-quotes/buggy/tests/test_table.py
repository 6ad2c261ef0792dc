import unittest

from tabular.table import Table, read_table


class TableTest(unittest.TestCase):
    def test_written_table_can_be_read_again(self):
        rows = [{"name": 'Screen 24" wide', "note": 'he said "no"'}, {"name": '"', "note": "a,b"}]
        table = read_table(Table(["name", "note"], rows).to_csv())
        self.assertEqual(table.rows, rows)

    def test_rows_by_column_name(self):
        table = read_table("name,size\nbolt,3\nnut,4\n")
        self.assertEqual(table.rows, [{"name": "bolt", "size": "3"}, {"name": "nut", "size": "4"}])

    def test_ragged_row(self):
        with self.assertRaises(ValueError):
            read_table("name,size\nbolt\n")

    def test_column(self):
        table = read_table('name,size\n"bolt, long",3\nnut,4\n')
        self.assertEqual(table.column("name"), ["bolt, long", "nut"])
        with self.assertRaises(KeyError):
            table.column("colour")


if __name__ == "__main__":
    unittest.main()
