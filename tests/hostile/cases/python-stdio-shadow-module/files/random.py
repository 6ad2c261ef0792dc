total = sum
