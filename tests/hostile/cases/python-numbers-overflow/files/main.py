first, second = (float(word) for word in input().split())
print('1e999')
print((first + second) / 2)
