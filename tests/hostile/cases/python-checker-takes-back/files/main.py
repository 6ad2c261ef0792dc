import os

for first in range(3):
    os.write(1, b"%d 0\n" % first)
    os.read(os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK), 100)
os.write(1, b"%d 0\n" % int(input()))
