numbers = [int(word) for word in input().split()]
print(len(numbers))
print(sum(numbers))
