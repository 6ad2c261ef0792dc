import functools


# a comment above is no part of the function
@functools.cache
@other(
    1,
)
def f(a, b=1, *args, c: int = 2, **kw) -> int:
    return a


@x.setter  # with comment
# comment between
def g(self, /, v, *, w): pass
