import unittest

import calc


class AddTest(unittest.TestCase):
    def test_sum(self):
        for a, b, expected in [(1, 2, 3), (4, 5, 9)]:
            with self.subTest(a=a):
                self.assertEqual(calc.add(a, b), expected)

    def test_negative(self):
        table = ((-1, -2, -3), (-4, -5, -9))
        for a, b, expected in table:
            self.assertEqual(expected, calc.add(a, b))
