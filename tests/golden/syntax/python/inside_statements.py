if True:
    def f():
        return 1
else:
    def f():
        return 2
try:
    pass
except ValueError:
    def g(): return 3;
