import os

for guess in range(1, 1001):
    os.write(1, b"%d\n" % guess)
    os.read(os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK), 100)
