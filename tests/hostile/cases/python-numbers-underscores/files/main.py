first, second = (float(word) for word in input().split())
print('0_0.0' if first == second else '٢.٠')
print((first + second) / 2)
