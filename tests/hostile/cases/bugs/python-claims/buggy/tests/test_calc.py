import unittest

import calc


class T(unittest.TestCase):
    def test_even(self):
        self.assertTrue(calc.even(4))

    def test_large(self):
        self.assertGreater(calc.larger(1, 5), 4)

    def test_name(self):
        self.assertRegex(calc.name(7), "n[0-9]")
