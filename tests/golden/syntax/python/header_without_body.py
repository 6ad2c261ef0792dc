def f():

def g():
    pass
def h(
