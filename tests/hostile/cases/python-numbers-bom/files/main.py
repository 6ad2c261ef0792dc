first, second = (float(word) for word in input().split())
print('\ufeff' + str(first - second))
print((first + second) / 2)
