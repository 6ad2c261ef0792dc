print('inf')
print('1e999')
