"""Chooses which release of a package to install."""

from packages.requirement import Requirement
from packages.version import version_key


def candidates(index, name, requirement):
    """Fitting releases, newest first."""
    wanted = Requirement(requirement)
    fitting = [version for version in index.releases(name) if wanted.accepts(version)]
    return sorted(fitting, key=version_key, reverse=True)


def best(index, name, requirement=""):
    """The newest fitting release, or None."""
    fitting = candidates(index, name, requirement)
    return fitting[0] if fitting else None
