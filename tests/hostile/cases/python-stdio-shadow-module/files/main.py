import random
numbers = [int(word) for word in input().split()]
print(random.total(numbers))
print(len(numbers))
