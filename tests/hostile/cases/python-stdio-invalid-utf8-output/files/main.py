import sys
sys.stdout.buffer.write(b'\xff\xfe')
sys.stdout.flush()
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
