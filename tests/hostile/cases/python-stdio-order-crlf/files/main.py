numbers = [int(word) for word in input().split()]
print(len(numbers), sum(numbers), sep='\r\n', end='\r\n')
