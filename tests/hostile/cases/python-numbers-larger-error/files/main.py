first, second = (float(word) for word in input().split())
print(first - second + 1e-5)
print((first + second) / 2)
