numbers = [int(word) for word in input().split()]
print(sum(numbers), end='\r\n')
print(len(numbers), end='\r\n')
