import sys
sys.setrecursionlimit(10**9)


class A:
    def __getattr__(self, name):
        return getattr(self, name + 'x'[:0])


A().y
