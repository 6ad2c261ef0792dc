def f():
    """Doc # not a comment."""
    a = f"""{x # inside
    }"""
    b = f"{d["#"]}#{1:#x}"  # yes
    c = r'\' # in' # out
    return '''#
    # still text
    ''' # gone
