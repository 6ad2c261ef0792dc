first, second = (float(word) for word in input().split())
print(first - second + 1e-7)
print((first + second) / 2 - 1e-7)
