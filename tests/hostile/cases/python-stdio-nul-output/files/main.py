numbers = [int(word) for word in input().split()]
print(str(sum(numbers)) + '\0')
print(len(numbers))
