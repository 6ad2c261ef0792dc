import socket
server = socket.socket()
server.bind(('127.0.0.1', 8080))
server.listen()
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
