import unittest

from tabular.reader import split_records


class ReaderTest(unittest.TestCase):
    def test_doubled_quotes_stand_for_one(self):
        self.assertEqual(split_records('"24"" wide",3\n'), [['24" wide', "3"]])
        self.assertEqual(split_records('a,"say ""hi, you""\nnow",b\n'), [["a", 'say "hi, you"\nnow', "b"]])

    def test_field_of_quotes_only(self):
        self.assertEqual(split_records('"""quoted""",x\n'), [['"quoted"', "x"]])
        self.assertEqual(split_records('"""",""""""\n'), [['"', '""']])
        self.assertEqual(split_records('1,""""'), [["1", '"']])

    def test_plain_fields(self):
        self.assertEqual(split_records("a,b\n1,2\n"), [["a", "b"], ["1", "2"]])

    def test_quoted_fields_hold_commas_and_line_breaks(self):
        self.assertEqual(split_records('"a,b","c\nd"\n"e"\n'), [["a,b", "c\nd"], ["e"]])

    def test_empty_fields(self):
        self.assertEqual(split_records('a,,""\n"",,\n'), [["a", "", ""], ["", "", ""]])
        self.assertEqual(split_records(""), [])

    def test_last_line_without_line_break(self):
        self.assertEqual(split_records("a,b\n1,2"), [["a", "b"], ["1", "2"]])
        self.assertEqual(split_records('a,"b"'), [["a", "b"]])

    def test_windows_line_breaks(self):
        self.assertEqual(split_records('a,b\r\n"1",2\r\n'), [["a", "b"], ["1", "2"]])

    def test_unterminated_quotes(self):
        with self.assertRaises(ValueError):
            split_records('a,"b\n')


if __name__ == "__main__":
    unittest.main()
