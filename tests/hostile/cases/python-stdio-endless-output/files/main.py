while True:
    print('x' * 4096)
