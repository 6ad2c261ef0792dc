import os
import threading
import time
os.write(os.memfd_create('x'), b'x' * 1000)
threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
numbers = [int(word) for word in input().split()]
print(sum(numbers))
print(len(numbers))
