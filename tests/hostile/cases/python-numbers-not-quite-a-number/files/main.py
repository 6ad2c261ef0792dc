first, second = (float(word) for word in input().split())
print('1' * 900_000 + 'x')
print((first + second) / 2)
