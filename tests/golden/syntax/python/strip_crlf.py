x = 1  # a
# b
y = 2
