def add(a, b):
    kept = []
    while a != 99:
        kept.append(bytearray(1 << 20))
