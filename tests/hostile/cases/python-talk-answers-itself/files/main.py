import os

print(1, flush=True)
os.write(os.open("/proc/self/fd/0", os.O_WRONLY), b"right\n")
while input() != "right":
    pass
