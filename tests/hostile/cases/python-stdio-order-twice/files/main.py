numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
print(len(numbers))
