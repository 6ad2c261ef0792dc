def f(:
    return ) 1 +

def g(a):
    x = "open
    return $

def h():
    pass
