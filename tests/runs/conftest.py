"""What tests of runs share: a machine that knows nothing of earlier runs."""

import pytest

from repairlab.languages.language import default_cache
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine


@pytest.fixture
def machine(sandbox: Sandbox) -> Machine:
    """Return a machine with two workers, without the verdict cache."""
    return Machine(cache=default_cache(), sandbox=sandbox.name, workers=2, use_verdicts=False)
