print('no numbers')
