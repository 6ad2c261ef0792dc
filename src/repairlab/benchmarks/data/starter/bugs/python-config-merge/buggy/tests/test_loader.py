import copy
import unittest

from settings import loader
from settings.loader import load


class LoaderTest(unittest.TestCase):
    def setUp(self):
        self._defaults = copy.deepcopy(loader.DEFAULTS)

    def tearDown(self):
        loader.DEFAULTS = self._defaults

    def test_configurations_are_independent(self):
        first = load("database.pool.size = 50")
        second = load("")
        self.assertEqual(first.get("database.pool.size"), 50)
        self.assertEqual(second.get("database.pool.size"), 5)
        second.set("mail.sender", "x@example.org")
        self.assertEqual(load("").get("mail.sender"), "noreply@example.org")

    def test_set_does_not_reach_the_extra_section(self):
        extra = {"search": {"engine": "local"}}
        configuration = load("search.limit = 10", extra)
        configuration.set("search.engine", "remote")
        self.assertEqual(configuration.get("search.limit"), 10)
        self.assertEqual(extra, {"search": {"engine": "local"}})

    def test_defaults(self):
        configuration = load("")
        self.assertEqual(configuration.get("database.host"), "localhost")
        self.assertIs(configuration.get("debug"), False)

    def test_values_are_typed(self):
        configuration = load("debug = true\nretries = -3\nname = box 7")
        self.assertIs(configuration.get("debug"), True)
        self.assertEqual(configuration.get("retries"), -3)
        self.assertEqual(configuration.get("name"), "box 7")

    def test_comments_and_blank_lines(self):
        self.assertEqual(load("# a comment\n\ndebug = true\n").get("debug"), True)

    def test_missing_key(self):
        with self.assertRaises(KeyError):
            load("").get("database.port")
        with self.assertRaises(KeyError):
            load("").get("debug.level")

    def test_malformed_line(self):
        with self.assertRaises(ValueError):
            load("debug")


if __name__ == "__main__":
    unittest.main()
