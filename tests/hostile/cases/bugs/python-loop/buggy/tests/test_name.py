import unittest

import calc


class NameTest(unittest.TestCase):
    def test_name(self):
        self.assertEqual(calc.name(7), 'n7')
