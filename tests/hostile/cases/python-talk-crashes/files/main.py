print('x', flush=True)
input()
