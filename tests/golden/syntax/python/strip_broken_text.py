def f(:
    x = "open # not a comment
    y = ) # gone
