numbers = [int(word) for word in input().split()]
print(sum(numbers) + 1)
print(len(numbers))
