numbers = [int(word) for word in input().split()]
print(len(numbers), sum(numbers))
