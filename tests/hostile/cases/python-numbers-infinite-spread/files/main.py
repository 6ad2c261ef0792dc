first, second = (float(word) for word in input().split())
print('-inf')
print('inf')
