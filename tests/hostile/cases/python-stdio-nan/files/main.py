print('nan')
print('nan')
