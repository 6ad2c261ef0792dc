first, second = (float(word) for word in input().split())
print('-nan')
print((first + second) / 2)
