import socket
socket.create_connection(('1.1.1.1', 80), timeout=2)
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
