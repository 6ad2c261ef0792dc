x = bytearray(1 << 40)
