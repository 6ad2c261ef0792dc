TEXT = """
def not_a_function():
    pass
"""
def f(x="def g(): pass", y={"a": [1, (2, 3)]}):
    s = '''
def h():
    return 1
'''
    return s + f"{x!r:>{len(s)}} def k(): {"a"}"
