number = int(input())
print(number, 0 if number < 10 else 'x')
