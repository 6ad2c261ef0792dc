"""The releases that can be installed."""


class Index:
    def __init__(self):
        self._releases = {}

    def publish(self, name, *versions):
        self._releases.setdefault(name, set()).update(versions)

    def releases(self, name):
        if name not in self._releases:
            raise LookupError(f"no package named {name!r}")
        return sorted(self._releases[name])
