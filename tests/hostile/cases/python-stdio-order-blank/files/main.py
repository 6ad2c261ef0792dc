numbers = [int(word) for word in input().split()]
print(len(numbers))
print()
print(sum(numbers))
