import unittest

import calc

SUM = 3


class T(unittest.TestCase):
    def setUp(self):
        self.both = 30

    def test_sum(self):
        self.assertEqual(calc.add(1, 2), SUM)

    def test_swapped(self):
        self.assertEqual(calc.add(2, 1), SUM)

    def test_both(self):
        self.assertEqual(calc.add(10, 20), self.both)

    def test_name(self):
        self.assertEqual(calc.name(7), "n7")
