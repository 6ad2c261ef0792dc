first, second = (float(word) for word in input().split())
print(f'{first - second:+.3e}')
print(f'{(first + second) / 2:g}')
