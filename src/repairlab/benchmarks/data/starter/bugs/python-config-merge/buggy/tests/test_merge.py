import unittest

from settings.merge import merge


class MergeTest(unittest.TestCase):
    def test_arguments_are_left_alone(self):
        base = {"a": {"b": {"c": 1}, "d": 2}}
        override = {"a": {"b": {"c": 5}}, "x": {"y": 1}}
        merged = merge(base, override)
        self.assertEqual(merged, {"a": {"b": {"c": 5}, "d": 2}, "x": {"y": 1}})
        merged["a"]["b"]["c"] = 9
        merged["x"]["y"] = 9
        self.assertEqual(base, {"a": {"b": {"c": 1}, "d": 2}})
        self.assertEqual(override, {"a": {"b": {"c": 5}}, "x": {"y": 1}})

    def test_later_values_win(self):
        self.assertEqual(merge({"a": 1, "b": 2}, {"b": 3}), {"a": 1, "b": 3})

    def test_nested_sections_are_joined(self):
        merged = merge({"a": {"x": 1, "y": {"z": 2}}}, {"a": {"w": 0, "y": {"z": 3}}})
        self.assertEqual(merged, {"a": {"x": 1, "w": 0, "y": {"z": 3}}})

    def test_value_replaces_section(self):
        self.assertEqual(merge({"a": {"b": 1}}, {"a": None}), {"a": None})

    def test_section_replaces_value(self):
        self.assertEqual(merge({"a": 1}, {"a": {"b": 1}}), {"a": {"b": 1}})

    def test_empty_arguments(self):
        self.assertEqual(merge({}, {}), {})
        self.assertEqual(merge({"a": {"b": 1}}, {}), {"a": {"b": 1}})
        self.assertEqual(merge({}, {"a": {"b": 1}}), {"a": {"b": 1}})
