def f():
    return max(1, [2

def g():
    return 1

class A:
    x = (
    def m(self):
        return 2
