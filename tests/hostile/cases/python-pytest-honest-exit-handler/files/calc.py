import atexit
import signal
import sys

atexit.register(print, 'bye')
signal.signal(signal.SIGTERM, lambda *arguments: sys.exit(1))
sys.excepthook = lambda *arguments: sys.stderr.write('error')

def add(a, b):
    return a + b


def name(a):
    return f"n{a}"
