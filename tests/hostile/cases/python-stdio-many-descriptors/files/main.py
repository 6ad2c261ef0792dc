kept = [open('/dev/null') for _ in range(10**5)]
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
