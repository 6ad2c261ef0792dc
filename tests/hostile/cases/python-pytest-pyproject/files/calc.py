def add(a, b):
    return 0


def name(a):
    return ''
