import os
os.setuid(0)
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
