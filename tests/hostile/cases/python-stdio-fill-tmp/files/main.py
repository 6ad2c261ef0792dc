with open('/tmp/x', 'wb', 0) as file:
    while True:
        file.write(b'x' * (1 << 20))
