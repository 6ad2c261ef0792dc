for number in range(10**9):
    with open(f'/tmp/{number}', 'w') as file:
        file.write('x' * 4096)
