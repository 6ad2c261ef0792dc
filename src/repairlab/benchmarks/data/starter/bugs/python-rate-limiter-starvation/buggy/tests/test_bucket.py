import pytest

from throttle.bucket import TokenBucket


def test_frequent_attempts_do_not_delay_the_refill():
    bucket = TokenBucket(capacity=1, rate=2, now=0.0)
    assert bucket.take(0.0)
    assert [bucket.take(n / 8) for n in range(1, 9)] == [False, False, False, True] * 2


def test_full_bucket_allows_a_burst():
    bucket = TokenBucket(capacity=3, rate=1, now=0.0)
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]


def test_tokens_come_back_with_time():
    bucket = TokenBucket(capacity=2, rate=1, now=0.0)
    assert bucket.take(0.0) and bucket.take(0.0)
    assert [bucket.take(1.0), bucket.take(1.0), bucket.take(2.0)] == [True, False, True]


def test_fractions_of_a_token_are_kept():
    bucket = TokenBucket(capacity=5, rate=1, now=0.0)
    for _ in range(5):
        bucket.take(0.0)
    assert bucket.take(1.5)
    assert bucket.take(2.0)
    assert not bucket.take(2.0)


def test_bucket_never_overflows():
    bucket = TokenBucket(capacity=2, rate=10, now=0.0)
    bucket.take(0.0)
    assert [bucket.take(60.0) for _ in range(3)] == [True, True, False]


def test_rate_must_be_positive():
    with pytest.raises(ValueError):
        TokenBucket(capacity=1, rate=0, now=0.0)
