numbers = [int(word) for word in input().split()]
print(sum(numbers), len(numbers))
