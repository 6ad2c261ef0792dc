print(int(input()), 0, '\n' * 900000)
