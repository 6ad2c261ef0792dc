from logreport.parser import parse_lines
from logreport.summary import count_by_level, noisiest_source, summarise

LOG = [
    "2024-03-01 10:00:00 INFO web: started",
    "2024-03-01 10:00:05 ERROR db: query failed",
    "2024-03-01 10:00:09 INFO web: stopped",
]


def test_summary_of_a_log_with_a_stack_trace():
    lines = LOG[:2] + ["Traceback (most recent call last):", "", "KeyError: 'id'"] + LOG[2:]
    assert summarise(lines) == "3 entries (info 2, error 1), most from web"


def test_counts_by_level():
    assert count_by_level(parse_lines(LOG)) == {"DEBUG": 0, "INFO": 2, "WARNING": 0, "ERROR": 1}


def test_noisiest_source():
    assert noisiest_source(parse_lines(LOG)) == "web"
    assert noisiest_source(parse_lines(LOG[:2])) == "db"
    assert noisiest_source([]) is None


def test_summary_of_nothing():
    assert summarise([]) == "no entries"
    assert summarise(LOG[:1], minimum="ERROR") == "no entries"
