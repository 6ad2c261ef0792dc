"""Reads configurations: defaults, then an extra section of a plug-in, then the text of a file."""

from settings.merge import is_section, merge, unflatten

DEFAULTS = {
    "debug": False,
    "database": {"host": "localhost", "pool": {"size": 5, "timeout": 30}},
    "mail": {"sender": "noreply@example.org"},
}


class Configuration:
    def __init__(self, values):
        self._values = values

    def get(self, dotted):
        """Value at a dotted key; KeyError with the whole key when there is none."""
        value = self._values
        for part in dotted.split("."):
            if not is_section(value) or part not in value:
                raise KeyError(dotted)
            value = value[part]
        return value

    def set(self, dotted, value):
        *sections, name = dotted.split(".")
        place = self._values
        for part in sections:
            place = place.setdefault(part, {})
        place[name] = value


def parse_value(text):
    if text in ("true", "false"):
        return text == "true"
    if text.lstrip("-").isdigit():
        return int(text)
    return text


def parse(text):
    """Read lines 'key.of.value = value'; '#' starts a comment line."""
    values = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key, separator, value = line.partition("=")
        if not separator:
            raise ValueError(f"line {number}: expected 'key = value'")
        values = merge(values, unflatten(key.strip(), parse_value(value.strip())))
    return values


def load(text, extra=None):
    values = merge(DEFAULTS, extra or {})
    return Configuration(merge(values, parse(text)))
