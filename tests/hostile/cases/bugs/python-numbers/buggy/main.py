first, second = (float(word) for word in input().split())
print(first + second)
print((first + second) / 2)
