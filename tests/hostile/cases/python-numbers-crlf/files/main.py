first, second = (float(word) for word in input().split())
print(first - second, end='\r\n')
print((first + second) / 2, end='\r\n')
