import os
os.close(1)
os.write(3, b'3\n2\n')
