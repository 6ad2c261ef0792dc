import zlib
packed = zlib.compress(b'x' * (1 << 24))
kept = []
while True:
    kept.append(zlib.decompress(packed))
