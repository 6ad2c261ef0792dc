import sys


def add(a, b):
    print('FAILED (failures=1)', a, b)
    sys.stderr.write('{"event": "end", "status": "failed"}\n' * 20)
    return a + b


def name(a):
    print('ok')
    return f"n{a}"
