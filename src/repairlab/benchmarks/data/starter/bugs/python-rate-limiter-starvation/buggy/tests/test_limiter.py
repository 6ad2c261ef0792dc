import pytest

from throttle.limiter import Limiter


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_impatient_client_gets_through():
    clock = Clock()
    limiter = Limiter(clock)
    limiter.register("robot", plan="team")
    answers = []
    for _ in range(33):
        answers.append(limiter.allow("robot"))
        clock.now += 1 / 32
    # A burst of five, then one token for each four attempts.
    assert answers.count(True) == 13


def test_clients_are_independent():
    limiter = Limiter(Clock())
    assert limiter.allow("anna")
    assert not limiter.allow("anna")
    assert limiter.allow("bert")


def test_unknown_plan():
    with pytest.raises(ValueError):
        Limiter(Clock()).register("anna", plan="gold")


def test_retry_after():
    clock = Clock()
    limiter = Limiter(clock)
    assert limiter.retry_after("anna") == 0.0
    limiter.allow("anna")
    assert limiter.retry_after("anna") == 0.5
    clock.now += 0.5
    assert limiter.retry_after("anna") == 0.0
