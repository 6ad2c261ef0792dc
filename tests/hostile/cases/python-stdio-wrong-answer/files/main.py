print(0)
print(0)
