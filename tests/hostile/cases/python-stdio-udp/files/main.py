import socket
socket.getaddrinfo('example.org', 80)
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
