number = int(input())
print(number, 1)
