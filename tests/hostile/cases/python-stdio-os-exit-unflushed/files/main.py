import os
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
os._exit(0)
