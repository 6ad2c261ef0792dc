def add(a, b):
    while a != 99:
        pass
