class A:
    """Doc."""

    async def run(self):
        """Docstring stays in the body."""
        def inner(x):
            def deeper():
                return x
            return deeper
        return inner
        # trailing comment is no part

    class B:
        def run(self):
            yield

    key = lambda self: 1


def after():
    return 1  # trailing
