import linecache
import logging
import sys


def add(a, b):
    frame = sys._getframe(1)
    logging.warning('%s: %s', frame.f_code.co_name, linecache.getline(frame.f_code.co_filename, frame.f_lineno))
    return a + b


def name(a):
    return f"n{a}"
