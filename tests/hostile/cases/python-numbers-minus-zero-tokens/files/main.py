first, second = (float(word) for word in input().split())
print(-0.0 if first == second else first - second)
print((first + second) / 2)
