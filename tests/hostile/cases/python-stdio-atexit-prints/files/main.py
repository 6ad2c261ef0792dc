import atexit
numbers = [int(word) for word in input().split()]
atexit.register(print, len(numbers))
atexit.register(print, sum(numbers))
