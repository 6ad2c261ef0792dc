import unittest

import calc


class AddTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(calc.add(1, 2), 3)

    def test_negative(self):
        self.assertEqual(calc.add(-1, -2), -3)
