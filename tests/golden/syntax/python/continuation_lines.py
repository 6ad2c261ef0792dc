def f(a,
      b):  # comment
    if a and \
b:
        return (1,
2)
    return [
        a,
# comment at the margin
    ]
def g():
    x = 1
